import { afterAll, expect, it } from "vitest";
import { uploadIdSchema } from "#contract/ids.ts";
import { sql } from "#service/db/sql.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { randomBytes } from "#service/testing/random-bytes.ts";
import { copyPieces, putPiece, storePiece } from "./incomplete-part.ts";
import { incompletePartKey } from "./object-keys.ts";

const world = await openArchiveWorld();
afterAll(() => world.close());

it("a piece is read again if its body breaks off", async () => {
  const { platform } = world.context;
  const uploadId = uploadIdSchema.parse("0123456789abcdef01234567");
  const bytes = randomBytes(1_000);
  const key = await putPiece(platform, bytes, (sha256) =>
    incompletePartKey(uploadId, { startOffset: 0, sha256 }, 1),
  );
  let reads = 0;
  const get: ObjectStore["get"] = async (...asked) => {
    const found = await platform.objects.get(...asked);
    reads += 1;
    if (found === null || reads > 1) return found;
    await found.body.cancel();
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes.subarray(0, 500));
      },
      pull(controller) {
        controller.error(new TypeError("terminated"));
      },
    });
    return { ...found, body };
  };
  const target = new Uint8Array(bytes.byteLength);
  const piece = { start_offset: 0, size_bytes: bytes.byteLength, object_key: key };
  await copyPieces({ ...platform, objects: { ...platform.objects, get } }, [piece], target);
  expect(target).toEqual(bytes);
  expect(reads).toBe(2);
});

it("a piece whose removal was tried before it was recorded is not recorded", async () => {
  const { platform } = world.context;
  const { database } = platform;
  const { uploadId } = await world.addVod();
  const lease = { uploadId: uploadIdSchema.parse(uploadId), epoch: 0 };
  const record = await storePiece(platform, lease, 0, randomBytes(1_000));
  await database.run(sql`UPDATE jobs SET attempts = 1`);
  await expect(database.batch(record)).rejects.toThrow("requirement is not met");
  expect(await database.all(sql`SELECT 1 FROM incomplete_parts`)).toEqual([]);
});
