import { hash, randomBytes } from "node:crypto";
import { Upload } from "tus-js-client";
import { afterAll, expect, test } from "vitest";
import { type Upload as UploadData } from "#contract/upload.ts";
import { uploadStreamMessageSchema } from "#contract/upload-stream.ts";
import { cancelUpload, getUpload } from "#contract/uploads.ts";
import { objectKeySchema } from "#contract/files.ts";
import { listen } from "#hosts/node/testing/listen.ts";
import { startArchive } from "#service/testing/start-archive.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { UPLOADS_TOPIC } from "#service/storage/upload-events.ts";

const MIB = 1024 * 1024;

const vodkeep = await startTestService({ starts: true });
const admin = await vodkeep.signIn(ADMIN);
const server = await listen(vodkeep.service);
afterAll(async () => {
  await Promise.all([vodkeep.close(), server.close()]);
});

type Sent = { readonly url: string; readonly id: string };

/** Sends with tus-js-client, the protocol's reference client, over HTTP. */
function send(bytes: Buffer, options: Partial<ConstructorParameters<typeof Upload>[1]> = {}) {
  const done = Promise.withResolvers<Sent>();
  const upload: Upload = new Upload(bytes, {
    endpoint: `${server.url}/admin/uploads/manual`,
    headers: { authorization: `Bearer ${admin.token}`, origin: "http://localhost:8787" },
    metadata: { filename: "holiday.mp4", filetype: "video/mp4" },
    retryDelays: [0, 10, 50],
    chunkSize: 5 * MIB,
    onError: (error) => done.reject(error),
    onSuccess: () => {
      const url = upload.url ?? "";
      done.resolve({ url, id: url.slice(url.lastIndexOf("/") + 1) });
    },
    ...options,
  });
  return { upload, done: done.promise };
}

async function finished(id: string): Promise<UploadData> {
  const ended = Promise.withResolvers<UploadData>();
  const { unsubscribe } = await vodkeep.platform.hub.subscribe(UPLOADS_TOPIC, null, ({ data }) => {
    const message = uploadStreamMessageSchema.parse(JSON.parse(data));
    if (message.type !== "upload_update" || message.upload.id !== id) return;
    if (/completed|failed|cancelled/.test(message.upload.status)) ended.resolve(message.upload);
  });
  const now = await admin.expect(getUpload, `/admin/uploads/${id}`);
  if (/completed|failed|cancelled/.test(now.status)) ended.resolve(now);
  const upload = await ended.promise;
  unsubscribe();
  return upload;
}

async function storedDigest(key: string | null): Promise<string> {
  const found = await vodkeep.platform.objects.get(objectKeySchema.parse(key));
  const bytes = Buffer.from(await new Response(found?.body ?? null).arrayBuffer());
  return hash("sha256", bytes);
}

test("a client that pauses and resumes sends only the missing bytes", async () => {
  const bytes = randomBytes(12 * MIB);
  const paused = Promise.withResolvers<void>();
  let sentBytes = 0;
  const { upload, done } = send(bytes, {
    chunkSize: 2 * MIB,
    onChunkComplete(chunkBytes, acceptedBytes) {
      sentBytes += chunkBytes;
      if (acceptedBytes >= 4 * MIB && acceptedBytes < 6 * MIB) paused.resolve();
    },
  });
  upload.start();
  await paused.promise;
  await upload.abort();
  upload.start();
  const { id } = await done;
  expect(await storedDigest((await finished(id)).fileKey)).toBe(hash("sha256", bytes));
  expect(sentBytes).toBeLessThanOrEqual(bytes.length + 2 * MIB);
});

test("a file can be uploaded within the creation request", async () => {
  const bytes = randomBytes(2 * MIB);
  const methods: string[] = [];
  const { upload, done } = send(bytes, {
    uploadDataDuringCreation: true,
    onBeforeRequest: (request) => void methods.push(request.getMethod()),
  });
  upload.start();
  const { id } = await done;
  expect(methods).toEqual(["POST"]);
  expect(await storedDigest((await finished(id)).fileKey)).toBe(hash("sha256", bytes));
});

test.for([
  ["in parallel parts", { parallelUploads: 4 }, "Send the file as one upload"],
  ["of a deferred length", { uploadLengthDeferred: true }, "Declare the length"],
] as const)("a client that sends a file %s is told to change that", async ([, options, advice]) => {
  const { upload, done } = send(randomBytes(MIB), { ...options, retryDelays: [] });
  upload.start();
  await expect(done).rejects.toThrow(advice);
});

test("a terminated upload is cancelled and returns 410", async () => {
  const first = Promise.withResolvers<string>();
  const { upload } = send(randomBytes(12 * MIB), {
    chunkSize: MIB,
    onChunkComplete: () => first.resolve(upload.url ?? ""),
  });
  upload.start();
  const url = await first.promise;
  await upload.abort(true);
  const id = url.slice(url.lastIndexOf("/") + 1);
  expect(await finished(id)).toMatchObject({ status: "cancelled" });
  const after = await admin.send("HEAD", new URL(url).pathname, {
    headers: { "tus-resumable": "1.0.0" },
  });
  expect(after.status).toBe(410);
});

test("a finished upload is proved while archives hold every slot", async () => {
  const archives: string[] = [];
  for (let count = 0; count < vodkeep.settings.ARCHIVE_CONCURRENCY + 1; count += 1) {
    const { id: vodId } = await vodkeep.twitch.control.addVod({
      segmentCount: 200,
      paceBytesPerSecond: 60_000,
    });
    archives.push((await startArchive(admin, vodId)).id);
  }
  const statusOf = async (id: string) =>
    (await admin.expect(getUpload, `/admin/uploads/${id}`)).status;
  const statuses = () => Promise.all(archives.map(statusOf));
  await expect.poll(statuses).toEqual(["processing", "processing", "pending"]);
  const bytes = randomBytes(3 * MIB);
  const { upload, done } = send(bytes);
  upload.start();
  expect(await finished((await done).id)).toMatchObject({ status: "completed" });
  expect(await statuses()).toEqual(["processing", "processing", "pending"]);
  // The place of a cancelled archive goes to the one that waits.
  await admin.expect(cancelUpload, `/admin/uploads/${archives[0] ?? ""}/cancel`);
  await expect.poll(statuses).toEqual(["cancelled", "processing", "processing"]);
  for (const id of archives.slice(1))
    await admin.expect(cancelUpload, `/admin/uploads/${id}/cancel`);
});
