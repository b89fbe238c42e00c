import { afterAll, expect, test } from "vitest";
import { listAudit } from "#contract/audit.ts";
import { objectKeySchema } from "#contract/files.ts";
import { clearCache, restartWorkers } from "#contract/system.ts";
import type { Upload } from "#contract/upload.ts";
import { getUpload } from "#contract/uploads.ts";
import { sql } from "#service/db/sql.ts";
import { randomBytes } from "#service/testing/random-bytes.ts";
import { startArchive } from "#service/testing/start-archive.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { createTusUpload, sendTusBytes } from "#service/testing/tus-requests.ts";

const vodkeep = await startTestService({ starts: true });
const admin = await vodkeep.signIn(ADMIN);
afterAll(() => vodkeep.close());

async function uploadOf(id: string): Promise<Upload> {
  return await admin.expect(getUpload, `/admin/uploads/${id}`);
}

async function storedDigest(upload: Upload): Promise<string> {
  const { objects, digests } = vodkeep.platform;
  const found = await objects.get(objectKeySchema.parse(upload.fileKey));
  const bytes = new Uint8Array(await new Response(found?.body).arrayBuffer());
  return await digests.sha256(bytes);
}

test("a restart hands over a running archive, resumes it, and loses no uploads", async () => {
  const { control } = vodkeep.twitch;
  const vod = await control.addVod({ segmentCount: 14, segmentSizeBytes: 3_000_000 });
  // The source stalls after 33 MB, so that the archive cannot end before it is handed over.
  await control.addFault({
    match: { kind: "segment", vodId: vod.id, segmentIndex: 11 },
    fault: { type: "stall", afterBytes: 0 },
  });
  const { id } = await startArchive(admin, vod.id);
  const segment = (segmentIndex: number) =>
    control.requests({ kind: "segment", vodId: vod.id, segmentIndex });
  await expect.poll(async () => (await segment(10)).length).toBe(1);
  const bytes = randomBytes(2_000);
  const created = await createTusUpload(admin, { "upload-length": String(bytes.length) });
  const path = created.headers.get("location") ?? "";
  expect((await sendTusBytes(admin, path, 0, bytes.slice(0, 700))).status).toBe(204);

  // The archive needs no cached entry.
  await vodkeep.platform.cache.set("entry", "1", 60_000);
  expect((await admin.expect(clearCache)).cleared).toBeGreaterThan(0);
  // An archive started during the restart waits for its end.
  const restarting = admin.expect(restartWorkers);
  const other = await startArchive(admin, "2000000007");
  await admin.expect(clearCache);
  const outcome = await restarting;
  // On hosts that keep running during a handover, the other archive may have started already.
  expect([1, 2]).toContain(outcome.restarted);
  expect(outcome.resumed).toBeGreaterThanOrEqual(1);
  const { items } = await admin.expect(listAudit, `${listAudit.path}?action=workers.restart`);
  expect(items.map(({ after }) => after)).toEqual([outcome]);

  expect((await sendTusBytes(admin, path, 700, bytes.slice(700))).status).toBe(204);
  const manual = path.slice(path.lastIndexOf("/") + 1);
  for (const each of [id, other.id, manual])
    await expect.poll(async () => (await uploadOf(each)).status).toBe("completed");
  const upload = await uploadOf(id);
  expect(upload).toMatchObject({ retryCount: 0, errorMessage: null });
  expect(await storedDigest(upload)).toBe((await control.sourceDigest(vod.id)).sha256);
  expect(await storedDigest(await uploadOf(manual))).toBe(
    await vodkeep.platform.digests.sha256(bytes),
  );
  // The stalled request was aborted, and repeated by the next run.
  const faults = (await segment(11)).map(({ fault }) => fault);
  expect(faults.length).toBeGreaterThan(1);
  expect(faults[0]).toBe("stall");
  const [row] = await vodkeep.platform.database.all(
    sql`SELECT epoch FROM uploads WHERE id = ${id}`,
  );
  expect(row?.epoch).toBeGreaterThan(1);
});
