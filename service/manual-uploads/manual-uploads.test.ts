import { hash } from "node:crypto";
import * as fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { host } from "#host-under-test";
import { ApiError } from "#service/api-error.ts";
import { sql } from "#service/db/sql.ts";
import { type ObjectStore, StoreError } from "#service/ports/object-store.ts";
import { rebuildIndex } from "#service/proof/rebuild-index.ts";
import { cancelUpload, retryUpload } from "#service/storage/upload-actions.ts";
import { MIB, openManualWorld } from "#service/testing/manual-world.ts";
import { randomBytes } from "#service/testing/random-bytes.ts";
import { takeManualLease } from "./lease.ts";
import { createManualUploads } from "./manual-uploads.ts";
import { proveManualUpload } from "./proof.ts";
import { appendBytes } from "./tus/append.ts";

const world = await openManualWorld();
const { ahead, append, digestOf, find, leftInStore, start } = world;
afterAll(() => world.close());

test("an upload resumed after random interruptions is stored unchanged", async () => {
  const manual = createManualUploads(world.context);
  const source = randomBytes(17 * MIB + 333);
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: source.length }),
      fc.array(
        fc.record({ send: fc.nat(9 * MIB), cut: fc.nat(9 * MIB), isChecked: fc.boolean() }),
        {
          maxLength: 8,
        },
      ),
      async (length, requests) => {
        const bytes = source.subarray(0, length);
        const id = await start(length);
        for (const { send, cut, isChecked } of requests) {
          const { offset } = await find(id);
          const piece = bytes.subarray(offset, offset + send);
          if (piece.length === 0) continue;
          const checksum = isChecked ? { sha1: hash("sha1", piece) } : {};
          const isCut = cut < piece.length;
          // Bytes of a broken connection are kept, unless the request has a checksum.
          const isRefused = isCut && isChecked;
          const outcome = await append(manual, id, offset, piece, {
            ...checksum,
            ...(isCut ? { cutAfter: cut } : {}),
          }).catch((error: unknown) => (error instanceof ApiError ? error.status : error));
          const safe = isRefused ? offset : offset + Math.min(cut, piece.length);
          expect([outcome, (await find(id)).offset]).toEqual([isRefused ? 460 : safe, safe]);
        }
        const { offset } = await find(id);
        if (offset < length) await append(manual, id, offset, bytes.subarray(offset));
        await proveManualUpload(manual, id);
        const upload = await world.upload(id);
        expect(upload).toMatchObject({ status: "completed", originalSize: length });
        expect(upload.debugInfo.progressHistory.at(-1)).toMatchObject({ percentage: 100 });
        expect(await digestOf(id)).toBe(hash("sha256", bytes));
        const left = await leftInStore(id);
        expect(left.filter((key) => key.startsWith("tails/"))).toEqual([]);
      },
    ),
    { numRuns: host.runsOf(12) },
  );
});

test("small pieces before the end of a part are not repeated after it", async () => {
  const manual = createManualUploads(world.context);
  const bytes = randomBytes(9 * MIB);
  const id = await start(bytes.length);
  let offset = 0;
  while (offset < 1_600)
    offset = await append(manual, id, offset, bytes.subarray(offset, offset + 100));
  offset = await append(manual, id, offset, bytes.subarray(offset, 8 * MIB + 500));
  await append(manual, id, offset, bytes.subarray(offset));
  await proveManualUpload(manual, id);
  expect(await digestOf(id)).toBe(hash("sha256", bytes));
});

test("bytes of several parts with a wrong checksum are discarded and can be sent again", async () => {
  const manual = createManualUploads(world.context);
  const bytes = randomBytes(20 * MIB);
  const id = await start(bytes.length);
  await append(manual, id, 0, bytes.subarray(0, MIB));
  const rest = bytes.subarray(MIB);
  await expect(append(manual, id, MIB, rest, { sha1: hash("sha1", bytes) })).rejects.toMatchObject({
    status: 460,
  });
  expect((await find(id)).offset).toBe(MIB);
  expect(await append(manual, id, MIB, rest, { sha1: hash("sha1", rest) })).toBe(bytes.length);
  await proveManualUpload(manual, id);
  expect(await digestOf(id)).toBe(hash("sha256", bytes));
});

test("concurrent requests of an upload never mix their bytes", async () => {
  const manual = createManualUploads(world.context);
  const id = await start(10 * MIB);
  const sent = Array.from({ length: 6 }, () => randomBytes(10 * MIB));
  await Promise.allSettled(sent.map((bytes) => append(manual, id, 0, bytes)));
  const { offset } = await find(id);
  const [first = Buffer.alloc(0)] = sent;
  if (offset < first.length) await append(manual, id, offset, first.subarray(offset));
  await proveManualUpload(manual, id);
  const upload = await world.upload(id);
  expect(upload.status).toBe("completed");
  const possible = sent.map((bytes) =>
    hash("sha256", Buffer.concat([bytes.subarray(0, offset), first.subarray(offset)])),
  );
  expect(possible).toContain(await digestOf(id));
});

test("five concurrent large requests share the memory for one part", async () => {
  const context = ahead(0, { bodyBufferBytes: 8 * MIB });
  const manual = createManualUploads(context);
  const bytes = randomBytes(21 * MIB);
  await Promise.all(
    Array.from({ length: 5 }, async () => {
      const id = await start(bytes.length);
      for (let offset = 0; offset < bytes.length;)
        offset = await append(manual, id, offset, bytes.subarray(offset));
      await proveManualUpload(manual, id);
      expect(await digestOf(id)).toBe(hash("sha256", bytes));
    }),
  );
});

test("a stalled request is ended, and the received bytes are kept", async () => {
  const manual = createManualUploads(world.context);
  const id = await start(1_000);
  const silent = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(randomBytes(400)),
  });
  const { signal } = new AbortController();
  const request = {
    senderId: "7",
    offset: 0,
    sizeBytes: 1_000,
    stream: silent,
    checksum: null,
    signal,
  };
  expect(await appendBytes(manual, await find(id), request)).toMatchObject({ offset: 400 });
  expect(await append(manual, id, 400, randomBytes(600))).toBe(1_000);
});

test("cancelling during a request is final and leaves nothing in the store", async () => {
  const manual = createManualUploads(world.context);
  const id = await start(30 * MIB);
  await append(manual, id, 0, randomBytes(MIB));
  const running = append(manual, id, MIB, randomBytes(29 * MIB));
  await cancelUpload(world.context, { uploadId: id, actorId: "7", atMs: 0 });
  await expect(running).rejects.toBeInstanceOf(ApiError);
  expect(await world.upload(id)).toMatchObject({ status: "cancelled" });
  await expect(append(manual, id, 0, randomBytes(1))).rejects.toMatchObject({ status: 410 });
  expect(await leftInStore(id)).toEqual([]);
});

test("an upload fails if the store holds wrong bytes", async () => {
  const { objects } = world.context.platform;
  const spoiling: ObjectStore = {
    ...objects,
    partTagAlgorithm: "sha-256",
    uploadPart: (handle, partNumber, bytes) =>
      objects.uploadPart(handle, partNumber, bytes.with(5, (bytes[5] ?? 0) ^ 1)),
  };
  const context = ahead(0, { objects: spoiling });
  const manual = createManualUploads(context);
  const id = await start(9 * MIB, "film.mp4", context);
  await expect(append(manual, id, 0, randomBytes(9 * MIB))).rejects.toMatchObject({
    code: "unavailable",
  });
  expect(await world.upload(id)).toMatchObject({ status: "failed", failureClass: "storage" });
});

test("bytes that the store rejects are not acknowledged and can be sent again", async () => {
  const store = world.context.platform.objects;
  let hasRefused = false;
  const refusing = {
    ...store,
    async uploadPart(...part: Parameters<ObjectStore["uploadPart"]>) {
      const [, partNumber] = part;
      if (partNumber === 1 && !hasRefused) {
        hasRefused = true;
        throw new StoreError("denied", "The disk refused");
      }
      return await store.uploadPart(...part);
    },
  };
  const context = ahead(0, { objects: refusing });
  const manual = createManualUploads(context);
  const bytes = randomBytes(9 * MIB);
  const id = await start(bytes.length, "film.mp4", context);
  await expect(append(manual, id, 0, bytes)).rejects.toMatchObject({ code: "unavailable" });
  expect(await find(id)).toMatchObject({ status: "processing", offset: 0 });
  expect(await append(manual, id, 0, bytes)).toBe(bytes.length);
  await proveManualUpload(manual, id);
  expect(await world.upload(id)).toMatchObject({ status: "completed" });
});

test("completed manual uploads are restored from the store alone", async () => {
  const manual = createManualUploads(world.context);
  const id = await start(9 * MIB, "Grüße aus Köln.mkv");
  await append(manual, id, 0, randomBytes(9 * MIB));
  await proveManualUpload(manual, id);
  const { database } = world.context.platform;
  const rows = () =>
    database.all(sql`SELECT u.kind, u.status, u.filename, u.object_key, u.manifest_key,
      u.stored_bytes, f.status AS file_status, f.content_type, f.size_bytes
      FROM uploads u JOIN files f ON f.upload_id = u.id WHERE u.id = ${id}`);
  const before = await rows();
  await database.batch([
    sql`DELETE FROM files WHERE upload_id = ${id}`,
    sql`DELETE FROM uploads WHERE id = ${id}`,
  ]);
  await rebuildIndex(world.context);
  expect(await rows()).toEqual(before);
});

test("a user sends at most 24 files at once, of which a newer request may continue each", async () => {
  const manual = createManualUploads(world.context);
  const ids = await Promise.all(Array.from({ length: 25 }, () => start(1_000)));
  const [first = "", ...others] = ids;
  const stopping = new AbortController();
  async function sendNothing(id: string, senderId = "7"): Promise<unknown> {
    const body = { senderId, offset: 0, sizeBytes: 1_000, checksum: null };
    const stream = new ReadableStream<Uint8Array>();
    const sent = { ...body, stream, signal: stopping.signal };
    return await appendBytes(manual, await find(id), sent).catch((error: unknown) => error);
  }
  const sending = others.map((id) => sendNothing(id));
  await expect.poll(() => manual.active.countOf("7")).toBe(24);
  expect(await sendNothing(first)).toMatchObject({ code: "rate_limited" });
  sending.push(sendNothing(others[0] ?? ""), sendNothing(first, "8"));
  await expect.poll(() => manual.active.countOf("8")).toBe(1);
  stopping.abort(new Error("The test is over"));
  for (const outcome of await Promise.all(sending))
    expect(outcome).not.toMatchObject({ code: "rate_limited" });
});

test("an upload with three proofs during which the process ended fails; broken requests do not count", async () => {
  const manual = createManualUploads(world.context);
  const bytes = randomBytes(MIB);
  const id = await start(bytes.length);
  const { database } = world.context.platform;
  async function loseRuns(count: number, offset: number): Promise<void> {
    for (let run = 0; run < count; run += 1) {
      await takeManualLease({ ...manual, owner: `run ${run}` }, await find(id), offset);
      await database.run(sql`UPDATE uploads SET lease_until = 0 WHERE id = ${id}`);
    }
  }
  await loseRuns(4, 0);
  await append(manual, id, 0, bytes);
  await loseRuns(3, bytes.length);
  await proveManualUpload(manual, id);
  expect(await world.upload(id)).toMatchObject({ status: "failed", failureClass: "ours" });
  await retryUpload(world.context, {
    uploadId: id,
    actorId: null,
    atMs: world.context.platform.clock.now(),
  });
  await proveManualUpload(manual, id);
  expect(await world.upload(id)).toMatchObject({ status: "completed", originalSize: MIB });
});
