import { hash } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { PERMISSIONS } from "#contract/permissions.ts";
import { carryOutRemovals } from "#service/storage/store-removals.ts";
import { objectKeySchema } from "#contract/files.ts";
import { sql } from "#service/db/sql.ts";
import { randomBytes } from "#service/testing/random-bytes.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { createTusUpload, sendTusBytes, TUS } from "#service/testing/tus-requests.ts";
import { createManualUploads } from "./manual-uploads.ts";
import { readComposed } from "./composition.ts";
import { findManualUpload } from "./manual-row.ts";

const MIB = 1024 * 1024;
const DAY_MS = 24 * 3_600_000;
const CREATION = "/admin/uploads/manual";
const PARTIAL = { "upload-concat": "partial" };
const DEFERRED = { "upload-defer-length": "1" };

const vodkeep = await startTestService({ settings: { UPLOAD_QUOTA_GB: "1" } });
const admin = await vodkeep.signIn(ADMIN);
afterAll(() => vodkeep.close());

function create(headers: Record<string, string>, client = admin): Promise<Response> {
  return createTusUpload(client, headers);
}

async function begin(headers: Record<string, string>): Promise<string> {
  const response = await create(headers);
  expect(response.status).toBe(201);
  return response.headers.get("location") ?? "";
}

function patch(path: string, offset: number, bytes: Uint8Array, headers = {}) {
  return sendTusBytes(admin, path, offset, new Uint8Array(bytes), headers);
}

async function head(path: string): Promise<Record<string, string | null>> {
  const response = await admin.send("HEAD", path, { headers: TUS });
  expect(response.status).toBe(200);
  return Object.fromEntries(
    ["offset", "length", "defer-length", "concat"].map((name) => [
      name,
      response.headers.get(`upload-${name}`),
    ]),
  );
}

/** Creates a partial upload and sends these bytes. */
async function part(bytes: Uint8Array): Promise<string> {
  const path = await begin({ ...PARTIAL, "upload-length": String(bytes.length) });
  expect((await patch(path, 0, bytes)).status).toBe(204);
  return path;
}

function idOf(path: string): string {
  return path.slice(CREATION.length + 1);
}

/** Every object of this upload or staged upload. */
async function storedKeys(path: string): Promise<readonly string[]> {
  await carryOutRemovals(vodkeep.context);
  const { objects } = await vodkeep.platform.objects.list({});
  return objects.map(({ key }) => key).filter((key) => key.includes(idOf(path)));
}

/** Runs the service's sweep `ms` later. */
async function sweepAfter(ms: number): Promise<void> {
  const { clock } = vodkeep.platform;
  const later = { ...clock, now: () => clock.now() + ms };
  await createManualUploads({
    ...vodkeep.context,
    platform: { ...vodkeep.platform, clock: later },
  }).sweep();
}

async function finish(path: string): Promise<void> {
  // The first wake-up composes it, the next one proves it.
  await vodkeep.service.consume({ uploadId: idOf(path) });
  await vodkeep.service.consume({ uploadId: idOf(path) });
}

async function rowOf(path: string) {
  const [row] = await vodkeep.platform.database.all(
    sql`SELECT status, object_key, error_message FROM uploads WHERE id = ${idOf(path)}`,
  );
  return row;
}

test("partial uploads are concatenated in the given order and then removed", async () => {
  const bytes = randomBytes(19 * MIB + 5);
  const cuts = [0, 9 * MIB + 1, 9 * MIB + 1, 14 * MIB, bytes.length];
  const paths: string[] = [];
  for (const [index, from] of cuts.slice(0, -1).entries())
    paths.push(await part(bytes.subarray(from, cuts[index + 1])));
  const [first = "", ...others] = paths;
  expect(await head(first)).toEqual({
    offset: String(9 * MIB + 1),
    length: String(9 * MIB + 1),
    "defer-length": null,
    concat: "partial",
  });
  expect(await vodkeep.platform.database.all(sql`SELECT id FROM uploads`)).toEqual([]);

  const concat = `final;http://localhost:8787${first} ${others.join(" ")}`;
  const path = await begin({ "upload-concat": concat });
  expect(await head(path)).toMatchObject({ offset: null, length: String(bytes.length), concat });
  expect((await patch(path, 0, bytes)).status).toBe(403);
  expect((await admin.send("DELETE", first, { headers: TUS })).status).toBe(409);
  // A part cannot be used twice.
  expect((await create({ "upload-concat": concat })).status).toBe(409);
  await finish(path);
  const row = await rowOf(path);
  expect(row).toMatchObject({ status: "completed" });
  expect(await head(path)).toMatchObject({ offset: String(bytes.length) });
  const found = await vodkeep.platform.objects.get(objectKeySchema.parse(row?.object_key));
  const stored = Buffer.from(await new Response(found?.body ?? null).arrayBuffer());
  expect(hash("sha256", stored)).toBe(hash("sha256", bytes));
  await sweepAfter(0);
  for (const each of paths) expect(await storedKeys(each)).toEqual([]);
  expect(await vodkeep.platform.database.all(sql`SELECT id FROM staged_uploads`)).toEqual([]);
});

test("a composition resumes at an offset and fails if a piece is missing", async () => {
  const bytes = randomBytes(20 * MIB);
  const path = await begin({ "upload-concat": `final;${await part(bytes)}` });
  const { database, objects } = vodkeep.platform;
  const upload = await findManualUpload(database, idOf(path));
  if (upload === null) throw new Error("The upload is gone");
  const offset = 13 * MIB + 1;
  const rest = readComposed(vodkeep.platform, { ...upload, offset }, () => undefined);
  expect(Buffer.from(await new Response(rest).arrayBuffer()).equals(bytes.subarray(offset))).toBe(
    true,
  );
  const [piece] = await database.all(sql`SELECT object_key FROM staged_pieces LIMIT 1 OFFSET 1`);
  await objects.delete(objectKeySchema.parse(piece?.object_key));
  await finish(path);
  expect(await rowOf(path)).toMatchObject({
    status: "failed",
    error_message: expect.stringContaining("Please send the file again"),
  });
  await sweepAfter(DAY_MS + 1);
  expect(await storedKeys(path)).toEqual([]);
});

test("an empty file with a deferred length completes once its length is declared", async () => {
  const path = await begin(DEFERRED);
  expect(await head(path)).toMatchObject({ offset: "0", length: null, "defer-length": "1" });
  expect((await patch(path, 0, new Uint8Array(), { "upload-length": "0" })).status).toBe(204);
  await finish(path);
  expect(await rowOf(path)).toMatchObject({ status: "completed" });
});

test("a declared length cannot change, and staged uploads count against the quota", async () => {
  const path = await begin(DEFERRED);
  const bytes = randomBytes(MIB);
  expect((await patch(path, 0, bytes)).status).toBe(204);
  expect((await patch(path, 5, bytes)).status).toBe(409);
  expect((await patch(path, MIB, bytes, { "upload-length": "5" })).status).toBe(400);
  const beyondQuota = { "upload-length": String(1024 * MIB + 1) };
  expect((await patch(path, MIB, bytes, beyondQuota)).status).toBe(413);
  expect((await patch(path, MIB, bytes, { "upload-length": String(3 * MIB) })).status).toBe(204);
  expect((await patch(path, 2 * MIB, bytes, { "upload-length": String(4 * MIB) })).status).toBe(
    400,
  );
  expect((await patch(path, 2 * MIB, randomBytes(2 * MIB))).status).toBe(413);
  expect((await create({ "upload-length": String(1022 * MIB) })).status).toBe(413);
  expect((await admin.send("DELETE", path, { headers: TUS })).status).toBe(204);
  expect((await admin.send("HEAD", path, { headers: TUS })).status).toBe(404);
  expect(await storedKeys(path)).toEqual([]);
});

test("bytes of an undeclared length stop at a quota that was used up while they arrived", async () => {
  const { id } = await vodkeep.twitch.control.addAccount();
  const sender = await vodkeep.signInWith(id, PERMISSIONS);
  const path = (await create(DEFERRED, sender)).headers.get("location") ?? "";
  const bytes = [randomBytes(8 * MIB), randomBytes(MIB)];
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (bytes.length === 1)
          await create({ ...PARTIAL, "upload-length": String(1016 * MIB) }, sender);
        const next = bytes.shift();
        if (next === undefined) controller.close();
        else controller.enqueue(next);
      },
    },
    { highWaterMark: 0 },
  );
  expect((await sendTusBytes(sender, path, 0, body)).status).toBe(413);
  const { headers } = await sender.send("HEAD", path, { headers: TUS });
  expect(headers.get("upload-offset")).toBe(String(8 * MIB));
});

test("concatenation rejects parts that are another user's, incomplete, unknown or repeated", async () => {
  const mine = await part(randomBytes(10));
  const half = await begin({ ...PARTIAL, "upload-length": "10" });
  const deferred = await begin(DEFERRED);
  const { id } = await vodkeep.twitch.control.addAccount();
  const other = await vodkeep.signInWith(id, PERMISSIONS);
  expect((await create({ "upload-concat": `final;${mine}` }, other)).status).toBe(403);
  expect((await other.send("HEAD", mine, { headers: TUS })).status).toBe(403);
  for (const [urls, status] of [
    [half, 409],
    [deferred, 409],
    [`${CREATION}/${"a".repeat(24)}`, 409],
    [`${mine} ${mine}`, 400],
    [`https://evil.example/${idOf(mine)}`, 400],
    ["", 400],
  ] as const)
    expect([urls, (await create({ "upload-concat": `final;${urls}` })).status]).toEqual([
      urls,
      status,
    ]);
  expect((await create({ "upload-concat": "whole", "upload-length": "1" })).status).toBe(400);
});

test("of two concurrent requests with the same bytes, one is rejected", async () => {
  const path = await begin({ ...PARTIAL, "upload-length": String(2 * MIB) });
  const bytes = randomBytes(MIB);
  const answers = await Promise.all([patch(path, 0, bytes), patch(path, 0, bytes)]);
  const statuses = answers.map(({ status }) => status).toSorted((one, other) => one - other);
  expect(statuses[0]).toBe(204);
  expect([409, 423]).toContain(statuses[1]);
  expect(await head(path)).toMatchObject({ offset: String(MIB) });
});

test("after 1,000 pieces, accepts only requests of at least 256 KiB or the last bytes", async () => {
  const length = 1_000 + 256 * 1024 + 3;
  const path = await begin({ ...PARTIAL, "upload-length": String(length) });
  await vodkeep.platform.database.run(sql`
    INSERT INTO staged_pieces (staged_id, start_offset, size_bytes, object_key)
    SELECT ${idOf(path)}, value, 1, 'tails/small/' || value
    FROM json_each(${JSON.stringify(Array.from({ length: 999 }, (_, at) => at))})`);
  const bytes = randomBytes(256 * 1024);
  expect((await patch(path, 999, bytes.subarray(0, 1))).status).toBe(204);
  expect((await patch(path, 1_000, bytes.subarray(1))).status).toBe(400);
  expect(await head(path)).toMatchObject({ offset: "1000" });
  expect((await patch(path, 1_000, bytes)).status).toBe(204);
  expect((await patch(path, 1_000 + bytes.length, bytes.subarray(0, 2))).status).toBe(400);
  expect((await patch(path, 1_000 + bytes.length, bytes.subarray(0, 3))).status).toBe(204);
});

test("a checksum mismatch stages nothing, and a staged upload expires after a day of inactivity", async () => {
  const path = await begin({ ...PARTIAL, "upload-length": String(9 * MIB) });
  const bytes = randomBytes(9 * MIB);
  const digest = hash("sha1", "other bytes", "base64");
  const refused = await patch(path, 0, bytes, { "upload-checksum": `sha1 ${digest}` });
  expect(refused.status).toBe(460);
  expect(await head(path)).toMatchObject({ offset: "0" });
  expect((await patch(path, 0, bytes.subarray(0, MIB))).status).toBe(204);
  await sweepAfter(DAY_MS - 60_000);
  expect(await head(path)).toMatchObject({ offset: String(MIB) });
  await sweepAfter(DAY_MS + 60_000);
  expect((await admin.send("HEAD", path, { headers: TUS })).status).toBe(404);
});
