import { afterAll, expect, test } from "vitest";
import * as calls from "#contract/files.ts";
import { retryUpload } from "#contract/uploads.ts";
import { sql } from "#service/db/sql.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { bytesOf, fileAt, openMediaWorld, UNANSWERED_KEY } from "#service/testing/media-world.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";

const media = await openMediaWorld();
const { admin, key, platform } = media;
afterAll(() => media.close());

async function waitingRemovals() {
  return await platform.database.all(sql`SELECT key FROM jobs WHERE kind IN ('removal', 'abort')`);
}

/** Polls, because a concurrent sweep may have claimed the removals of a call. */
async function untilRemoved(): Promise<void> {
  await expect.poll(waitingRemovals).toEqual([]);
}

async function listObjects(): Promise<string> {
  return JSON.stringify(await platform.objects.list({}));
}

test("the proof contains the digest of each part", async () => {
  const proof = await admin.expect(calls.getFileProof, `/admin/r2/proof/${key}`);
  const bytes = await bytesOf(await media.get((await media.details()).downloadUrl));
  const parts = proof.partSha256.map((_digest, index) =>
    bytes.slice(index * proof.partSizeBytes, (index + 1) * proof.partSizeBytes),
  );
  expect(proof.partSha256).toEqual(
    await Promise.all(parts.map((part) => platform.digests.sha256(part))),
  );
  expect(proof.partSha256.length * proof.partSizeBytes).toBeGreaterThanOrEqual(bytes.length);
});

test("a file's details include when it was last verified", async () => {
  // Too recent for the scrub.
  const verifiedAt = new Date(media.clock.now()).toISOString();
  await platform.database.run(
    sql`UPDATE files SET verified_at = ${Date.parse(verifiedAt)} WHERE object_key = ${key}`,
  );
  expect(await media.details()).toMatchObject({ verifiedAt });
});

test("a file has no links while its object is missing, but keeps them if the store fails", async () => {
  const { database, objects } = platform;
  const lost = calls.objectKeySchema.parse("vods/1/2/lost.ts");
  const bytes = new TextEncoder().encode("once stored");
  await seedFile(platform, { key: lost, bytes });
  const before = await admin.expect(calls.getFile, fileAt(lost));
  expect(before.playlistUrl).toBeDefined();
  await objects.delete(lost);
  const { downloadUrl, playlistUrl } = await admin.expect(calls.getFile, fileAt(lost));
  expect([downloadUrl, playlistUrl]).toEqual([undefined, undefined]);
  await objects.put(lost, bytes, { contentType: "video/mp2t" });
  const again = await admin.expect(calls.getFile, fileAt(lost));
  expect(await bytesOf(await media.get(again.downloadUrl))).toEqual(bytes);

  await seedFile(platform, { key: UNANSWERED_KEY });
  const unanswered = await admin.expect(calls.getFile, fileAt(UNANSWERED_KEY));
  expect(unanswered.downloadUrl).toBeDefined();
  await objects.delete(lost);
  await database.run(sql`DELETE FROM files WHERE object_key IN (${lost}, ${UNANSWERED_KEY})`);
});

test("orphaned and unfinished files have no links", async () => {
  for (const [status, uploadType] of [
    ["orphaned", "twitch"],
    ["partial", "chunk"],
  ] as const) {
    const linkless = `vods/1/2/${status}.ts`;
    await seedFile(platform, { key: linkless, status, uploadType });
    const file = await admin.expect(calls.getFile, fileAt(linkless, "?download=true"));
    expect(file.downloadUrl).toBeUndefined();
    expect(file.playlistUrl).toBeUndefined();
    expect(file.videoUrl).toBeUndefined();
  }
});

const HOSTILE_KEYS = [
  "",
  "/",
  ".",
  "..",
  "%2e%2e",
  "%252e%252e",
  "%2F",
  "%2Fetc%2Fpasswd",
  "..%2F..%2Fetc%2Fpasswd",
  "%5C",
  "%00",
  "%E0%A4%A",
  "%3F",
  "%23",
  "+",
  "%20",
  "%C3%A9",
  "e%CC%81",
  "vods//x",
  "vods",
  "vods/",
  "manual",
  "other-bucket/x.ts",
  "tails/running/0-1",
  "internal/part-tag-probe",
  "~uploads/x",
];

test("hostile keys find nothing and delete nothing", async () => {
  const before = await listObjects();
  const sidecars = [".m3u8", ".manifest.json", ".chat.json"];
  // The sidecars exist, but are not files of their own.
  const beside = sidecars.map((ending) => key.replace(/\.ts$/, ending));
  expect(before).toContain(beside[1]);
  const relatives = [key.slice(0, -1), `${key}/`, key.toUpperCase(), `${key}%00`, `${key}.tmp`];
  for (const hostile of [...HOSTILE_KEYS, ...relatives, ...beside])
    for (const method of ["GET", "DELETE"]) {
      const { status } = await admin.call(method, fileAt(hostile));
      expect([400, 404, 405]).toContain(status);
    }
  expect(await listObjects()).toBe(before);
});

test("concurrent deletions remove only the file and its sidecars, and only once", async () => {
  const { objects, database } = platform;
  const upload = await media.archive("2000000007");
  const deletedKey = upload.fileKey ?? "";
  const neighbour = deletedKey.replace(/\.ts$/, "0.ts");
  await seedFile(platform, { key: neighbour, bytes: new Uint8Array(7) });
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => admin.call("DELETE", fileAt(deletedKey))),
  );
  expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
  expect(answers.filter((answer) => answer.status === 404)).toHaveLength(19);
  const deleted = answers.find((answer) => answer.status === 200);
  expect(deleted?.data).toEqual({ key: deletedKey, size: upload.processedSize });
  await untilRemoved();
  const left = (await objects.list({ prefix: deletedKey.slice(0, -3) })).objects.map(
    (object) => object.key,
  );
  expect(left).toEqual([neighbour]);
  const audits = await database.all(
    sql`SELECT 1 FROM audit WHERE action = 'file.delete' AND target = ${deletedKey}`,
  );
  expect(audits).toHaveLength(1);
  expect((await admin.call("GET", fileAt(deletedKey))).status).toBe(404);
  const [row] = await database.all(
    sql`SELECT status, object_key FROM uploads WHERE id = ${upload.id}`,
  );
  expect(row).toEqual({ status: "completed", object_key: null });
});

test("a partial file can be downloaded and deleted, and a retry then starts over", async () => {
  const failed = await media.archive("2000001130", "failed");
  const partialKey = failed.fileKey ?? "";
  const file = await admin.expect(calls.getFile, fileAt(partialKey));
  expect(file.status).toBe("partial");
  expect(await media.statusOf(file.downloadUrl)).toBe(200);
  await admin.expect(calls.deleteFile, fileAt(partialKey));
  await untilRemoved();
  const { objects } = platform;
  expect((await objects.list({ prefix: `vods/${failed.userId}/2000001130/` })).objects).toEqual([]);
  const retried = await admin.expect(retryUpload, `/admin/uploads/${failed.id}/retry`);
  expect(retried).toMatchObject({ retryCount: 1, fileKey: null });
});

test("a retry is rejected while deleted objects of the upload are still being removed", async () => {
  const { database } = platform;
  await seedUpload(database, { id: "waits", status: "failed" });
  await database.run(
    sql`INSERT INTO jobs (kind, key, due_at) VALUES ('removal', 'vods/1/2/waits.ts', 9e15)`,
  );
  const answer = await admin.call("POST", "/admin/uploads/waits/retry");
  expect(answer.error).toMatchObject({
    code: "conflict",
    message: expect.stringContaining("being removed"),
  });
});
