import { createHash, randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { userIdSchema } from "#contract/ids.ts";
import { startS3Server, TEST_CREDENTIALS } from "#hosts/node/testing/s3-server.ts";
import { sql } from "#service/db/sql.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";
import { findManualUpload } from "./manual-row.ts";
import { startManualUpload } from "./manual-start.ts";
import { createManualUploads } from "./manual-uploads.ts";

const MIB = 1024 * 1024;

test("a bucket keeps parts and pieces as a folder does", async () => {
  const server = await startS3Server(1);
  const [bucket = ""] = server.buckets;
  const world = await openArchiveWorld({
    settings: {
      OBJECT_STORE: `s3://${bucket}?endpoint=${encodeURIComponent(server.endpoint)}&region=auto`,
      S3_ACCESS_KEY_ID: TEST_CREDENTIALS.accessKeyId,
      S3_SECRET_ACCESS_KEY: TEST_CREDENTIALS.secretAccessKey,
    },
    // The emulator's tags are random, so every byte has to be read back.
    changePlatform: (platform) => ({
      ...platform,
      objects: { ...platform.objects, partTagAlgorithm: "none" },
    }),
  });
  const { database } = world.context.platform;
  await database.run(
    sql`INSERT INTO users (id, login, display_name, created_at) VALUES ('7', 'sender', 'Sender', 1)`,
  );
  const manual = createManualUploads(world.context);
  const bytes = randomBytes(17 * MIB + 9);
  const { id } = await startManualUpload(
    world.context,
    { length: bytes.length, metadata: { header: null, filename: "film.mp4" } },
    { actorId: userIdSchema.parse("7"), requestId: "test" },
  );
  for (const size of [3 * MIB, 2 * MIB, 9 * MIB, bytes.length]) {
    const upload = await findManualUpload(database, id);
    if (upload === null) throw new Error("The upload is gone");
    const piece = new Uint8Array(bytes.subarray(upload.offset, upload.offset + size));
    await manual.append(upload, {
      offset: upload.offset,
      body: new Blob([piece]).stream(),
      bodyBytes: piece.length,
      checksum: null,
    });
  }
  await manual.consume(id);
  const upload = await world.upload(id);
  expect(upload).toMatchObject({ status: "completed", errorMessage: null });
  expect(await world.storedDigest(upload.fileKey ?? "")).toEqual({
    sizeBytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  });
  await world.close();
  await server.close();
});
