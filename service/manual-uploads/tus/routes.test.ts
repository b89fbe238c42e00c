import { hash } from "node:crypto";
import { afterAll, expect, test } from "vitest";
import { deleteFile } from "#contract/files.ts";
import { uploadIdSchema } from "#contract/ids.ts";
import { getUpload } from "#contract/uploads.ts";
import { banUser } from "#contract/users.ts";
import { sql } from "#service/db/sql.ts";
import { StoreError } from "#service/ports/object-store.ts";
import { countRows } from "#service/testing/count-rows.ts";
import { addressOf } from "#service/testing/call-address.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { randomBytes } from "#service/testing/random-bytes.ts";
import { createTusUpload, sendTusBytes, TUS, TUS_BYTES } from "#service/testing/tus-requests.ts";

const vodkeep = await startTestService();
const admin = await vodkeep.signIn(ADMIN);
afterAll(() => vodkeep.close());

const CREATION = "/admin/uploads/manual";

async function create(length: number, headers: Record<string, string> = {}): Promise<string> {
  const response = await createTusUpload(admin, { "upload-length": String(length), ...headers });
  expect(response.status).toBe(201);
  return response.headers.get("location") ?? "";
}

function patch(path: string, offset: number, bytes: Uint8Array<ArrayBuffer>, headers = {}) {
  return sendTusBytes(admin, path, offset, bytes, headers);
}

function countUploads(): Promise<number> {
  return countRows(vodkeep.platform.database, sql`uploads`);
}

async function storedBytesOf(path: string): Promise<unknown> {
  const [row] = await vodkeep.platform.database.all(
    sql`SELECT stored_bytes FROM uploads WHERE id = ${path.slice(CREATION.length + 1)}`,
  );
  return row?.stored_bytes;
}

/** A body that stops after `sizeBytes` bytes; `taken` resolves once they have been read. */
function silentAfter(sizeBytes: number) {
  const { promise: taken, resolve: noteTaken } = Promise.withResolvers<void>();
  const { promise: broken, reject } = Promise.withResolvers<never>();
  broken.catch(() => undefined);
  let pulls = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      pulls += 1;
      if (pulls === 1) controller.enqueue(new Uint8Array(sizeBytes));
      else noteTaken();
      return pulls === 1 ? undefined : broken;
    },
  });
  return { body, taken, breakOff: () => reject(new Error("connection reset")) };
}

async function offsetOf(path: string): Promise<number> {
  const response = await admin.send("HEAD", path, { headers: TUS });
  expect(response.status).toBe(200);
  expect(response.headers.get("cache-control")).toBe("no-store");
  return Number(response.headers.get("upload-offset"));
}

test.for([
  ["may be retried", 2, 3_600_000, 200],
  ["has no retry left", 3, 3_600_000, 410],
  ["has expired", 2, -1, 410],
] as const)(
  "HEAD returns the right status for a failed upload that %s",
  async ([, retries, livesForMs, status]) => {
    const { database, clock } = vodkeep.platform;
    const path = await create(10);
    const id = path.slice(CREATION.length + 1);
    await database.run(sql`UPDATE uploads SET status = 'failed', failure_class = 'ours', retry_count = ${retries},
      max_retries = 3, expires_at = ${clock.now() + livesForMs} WHERE id = ${id}`);
    expect((await admin.send("HEAD", path, { headers: TUS })).status).toBe(status);
  },
);

test("no upload is created when its sender is banned just before the insert", async () => {
  let ban: (() => Promise<unknown>) | null = null;
  const apart = await startTestService({
    changePlatform: (platform) => ({
      ...platform,
      database: {
        ...platform.database,
        async batch(statements) {
          if (
            ban !== null &&
            statements.some(({ sql: text }) => text.includes("INSERT INTO uploads"))
          )
            await ban();
          return await platform.database.batch(statements);
        },
      },
    }),
  });
  const boss = await apart.signIn(ADMIN);
  const { id } = await apart.twitch.control.addAccount();
  const sender = await apart.signInWith(id, ["write:uploads"]);
  ban = () => boss.call("POST", `/admin/users/${id}/ban`);
  const response = await createTusUpload(sender, { "upload-length": "5" });
  expect(response.status).toBe(401);
  const { database } = apart.platform;
  expect(await database.all(sql`SELECT id FROM uploads`)).toEqual([]);
  expect(await database.all(sql`SELECT 1 FROM audit WHERE action = 'upload.start'`)).toEqual([]);
  await apart.close();
});

test("banning the sender ends a request in progress and keeps the received bytes", async () => {
  const senderId = (await vodkeep.twitch.control.addAccount()).id;
  const sender = await vodkeep.signInWith(senderId, ["write:uploads"]);
  const creation = { headers: { ...TUS, "upload-length": "5000" } };
  const path = (await sender.send("POST", CREATION, creation)).headers.get("location") ?? "";
  const { body, taken } = silentAfter(1_000);
  const sending = sendTusBytes(sender, path, 0, body);
  await taken;
  await admin.expect(banUser, addressOf(banUser, { id: senderId }), { body: {} });
  await sending;
  expect(await storedBytesOf(path)).toBe(1_000);
  expect((await sender.send("HEAD", path, { headers: TUS })).status).toBe(401);
});

test("only its creator can append to an upload or read its offset", async () => {
  const path = await create(5_000);
  const { body, taken } = silentAfter(1_000);
  const sending = sendTusBytes(admin, path, 0, body);
  await taken;
  const otherId = (await vodkeep.twitch.control.addAccount()).id;
  const other = await vodkeep.signInWith(otherId, ["write:uploads"]);
  expect((await other.send("HEAD", path, { headers: TUS })).status).toBe(403);
  const appended = await sendTusBytes(other, path, 0, randomBytes(400));
  expect(appended.status).toBe(403);
  // The creator's request is not interrupted.
  expect(await Promise.race([sending, Promise.resolve("going on")])).toBe("going on");
  expect(await offsetOf(path)).toBe(1_000);
  expect((await sending).status).toBe(204);
});

test("a checked chunk that a newer request interrupts is locked, not damaged", async () => {
  const path = await create(5_000);
  const { body, taken } = silentAfter(1_000);
  const sending = sendTusBytes(admin, path, 0, body, {
    "upload-checksum": `sha256 ${hash("sha256", Buffer.alloc(5_000), "base64")}`,
  });
  await taken;
  expect((await sendTusBytes(admin, path, 0, randomBytes(5_000))).status).toBe(204);
  expect((await sending).status).toBe(423);
});

test("an offset counts the bytes of a request that ends while it is read", async () => {
  let afterRead: (() => Promise<unknown>) | null = null;
  const apart = await startTestService({
    changePlatform: (platform) => ({
      ...platform,
      database: {
        ...platform.database,
        async all(statement) {
          const rows = await platform.database.all(statement);
          const next = statement.sql.includes("u.upload_metadata") ? afterRead : null;
          if (next !== null) afterRead = null;
          await next?.();
          return rows;
        },
      },
    }),
  });
  const sender = await apart.signIn(ADMIN);
  const creation = await createTusUpload(sender, { "upload-length": "5000" });
  const path = creation.headers.get("location") ?? "";
  const { body, taken, breakOff } = silentAfter(1_000);
  const sending = sendTusBytes(sender, path, 0, body);
  await taken;
  afterRead = () => {
    breakOff();
    return sending;
  };
  const response = await sender.send("HEAD", path, { headers: TUS });
  expect(response.headers.get("upload-offset")).toBe("1000");
  await apart.close();
});

test("a failed upload whose bytes were deleted in the File Browser starts again", async () => {
  const path = await create(5_000);
  await patch(path, 0, randomBytes(1_000));
  const id = path.slice(CREATION.length + 1);
  const { database } = vodkeep.platform;
  const [file] = await database.all(sql`SELECT object_key FROM files WHERE upload_id = ${id}`);
  await database.run(
    sql`UPDATE uploads SET status = 'failed', failure_class = 'ours' WHERE id = ${id}`,
  );
  await admin.expect(deleteFile, addressOf(deleteFile, { key: String(file?.object_key) }));
  expect(await offsetOf(path)).toBe(0);
  expect((await patch(path, 0, randomBytes(5_000))).status).toBe(204);
});

test("asking for the offset of a received upload does not end its proof", async () => {
  const completing = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const apart = await startTestService({
    changePlatform: (platform) => ({
      ...platform,
      objects: {
        ...platform.objects,
        async completeMultipart(...args) {
          completing.resolve();
          await answered.promise;
          return await platform.objects.completeMultipart(...args);
        },
      },
    }),
  });
  const sender = await apart.signIn(ADMIN);
  const creation = await createTusUpload(sender, { "upload-length": "5" });
  const path = creation.headers.get("location") ?? "";
  await sendTusBytes(sender, path, 0, randomBytes(5));
  const id = uploadIdSchema.parse(path.slice(CREATION.length + 1));
  const proving = apart.service.consume({ uploadId: id });
  await completing.promise;
  const asked = await sender.send("HEAD", path, { headers: TUS });
  expect(asked.headers.get("upload-offset")).toBe("5");
  answered.resolve();
  await proving;
  const upload = await sender.expect(getUpload, addressOf(getUpload, { id }));
  expect(upload.status).toBe("completed");
  await apart.close();
});

const storeAway = () => Promise.reject(new StoreError("unavailable", "The store is away"));

test("first bytes that the store does not take leave an upload that the client knows", async () => {
  let isAway = true;
  const apart = await startTestService({
    changePlatform: ({ objects, ...platform }) => ({
      ...platform,
      objects: {
        ...objects,
        createMultipart: (...of) => (isAway ? storeAway() : objects.createMultipart(...of)),
        put: (...of) => (isAway ? storeAway() : objects.put(...of)),
      },
    }),
  });
  const sender = await apart.signIn(ADMIN);
  const bytes = randomBytes(5_000);
  const headers = { ...TUS_BYTES, "upload-length": "5000" };
  const creation = await createTusUpload(sender, headers, { rawBody: bytes });
  expect([creation.status, creation.headers.get("upload-offset")]).toEqual([201, "0"]);
  isAway = false;
  const path = creation.headers.get("location") ?? "";
  expect((await sendTusBytes(sender, path, 0, bytes)).status).toBe(204);
  expect(await countRows(apart.platform.database, sql`uploads`)).toBe(1);
  await apart.close();
});

test("answering a discovery request does not subscribe to any hub topic", async () => {
  const topics: string[] = [];
  const apart = await startTestService({
    changePlatform: (platform) => ({
      ...platform,
      hub: {
        ...platform.hub,
        async subscribe(topic, ...rest) {
          topics.push(topic);
          return await platform.hub.subscribe(topic, ...rest);
        },
      },
    }),
  });
  expect((await apart.visitor().send("OPTIONS", CREATION)).status).toBe(204);
  expect(topics).toEqual([]);
  await apart.close();
});

test("discovery returns version, extensions and checksum algorithms, with CORS headers", async () => {
  const response = await vodkeep.visitor().send("OPTIONS", CREATION, {
    headers: { "access-control-request-method": "PATCH" },
  });
  expect(response.status).toBe(204);
  const { headers } = response;
  expect(headers.get("tus-version")).toBe("1.0.0");
  expect(headers.get("tus-extension")).toBe(
    "creation,creation-with-upload,checksum,expiration,termination",
  );
  expect(headers.get("tus-checksum-algorithm")).toBe("sha1,sha256");
  expect(Number(headers.get("tus-max-size"))).toBeGreaterThan(0);
  expect(headers.get("access-control-allow-methods")).toContain("PATCH");
  expect(headers.get("access-control-allow-headers")).toContain("Upload-Offset");
  expect(headers.get("access-control-expose-headers")).toContain("Upload-Offset");
  expect(headers.get("access-control-allow-origin")).toBe("http://localhost:8787");
});

test.each([
  ["no version", { "upload-length": "5" }, 412],
  ["another version", { "tus-resumable": "0.2.2", "upload-length": "5" }, 412],
  ["no length", { ...TUS }, 400],
  ["a deferred length", { ...TUS, "upload-defer-length": "1" }, 400],
  ["a length for a part", { ...TUS, "upload-length": "5", "upload-concat": "partial" }, 400],
  ["parts to concatenate", { ...TUS, "upload-concat": "final;/a /b" }, 400],
  ["a negative length", { ...TUS, "upload-length": "-1" }, 400],
  ["a non-integer length", { ...TUS, "upload-length": "1e3" }, 400],
  ["a length beyond the maximum", { ...TUS, "upload-length": "335544320001" }, 413],
  [
    "metadata that is not Base64",
    { ...TUS, "upload-length": "5", "upload-metadata": "filename ä" },
    400,
  ],
  [
    "a duplicate metadata name",
    { ...TUS, "upload-length": "5", "upload-metadata": "a YQ==,a YQ==" },
    400,
  ],
  ["an unknown checksum", { ...TUS, "upload-length": "5", "upload-checksum": "md4 YQ==" }, 400],
] as const)("rejects a creation with %s", async (_, headers, status) => {
  const before = await countUploads();
  const response = await admin.send("POST", CREATION, { headers });
  expect(response.status).toBe(status);
  expect(response.headers.get("tus-resumable")).toBe("1.0.0");
  expect(response.headers.get("tus-version")).toBe(status === 412 ? "1.0.0" : null);
  expect(await countUploads()).toBe(before);
});

test("accepts bytes only at the current offset", async () => {
  const path = await create(10);
  expect((await patch(path, 5, randomBytes(5))).status).toBe(409);
  expect((await patch(path, 0, randomBytes(11))).status).toBe(413);
  expect((await patch(path, 0, randomBytes(4), { "content-type": "text/plain" })).status).toBe(415);
  const type = { "content-type": "Application/Offset+Octet-Stream; charset=utf-8" };
  expect((await patch(path, 0, new Uint8Array(), type)).status).toBe(204);
  expect((await patch(path, 0, randomBytes(4), { "upload-offset": "" })).status).toBe(400);
  expect(await offsetOf(path)).toBe(0);
  const accepted = await patch(path, 0, randomBytes(4));
  expect(accepted.status).toBe(204);
  expect(accepted.headers.get("upload-offset")).toBe("4");
  expect(Date.parse(accepted.headers.get("upload-expires") ?? "")).toBeGreaterThan(Date.now());
  for (const offset of [0, 3, 5, 9]) {
    const refused = await patch(path, offset, randomBytes(1));
    expect([refused.status, refused.headers.get("upload-offset")]).toEqual([409, "4"]);
  }
  expect(await offsetOf(path)).toBe(4);
});

test("rejects bytes that do not match their checksum, and accepts those that do", async () => {
  const path = await create(2_000);
  const bytes = randomBytes(2_000);
  for (const algorithm of ["sha1", "sha256"] as const) {
    const digest = hash(algorithm, "other bytes", "base64");
    const refused = await patch(path, 0, bytes, { "upload-checksum": `${algorithm} ${digest}` });
    expect(refused.status).toBe(460);
    expect(await offsetOf(path)).toBe(0);
  }
  const digest = hash("sha1", bytes, "base64");
  expect((await patch(path, 0, bytes, { "upload-checksum": `sha1 ${digest}` })).status).toBe(204);
});

test("returns 404 for unknown upload ids and 405 for GET", async () => {
  for (const id of ["nope", "{id}", ":id", "..%2F", "a".repeat(300)])
    expect((await admin.send("HEAD", `${CREATION}/${id}`, { headers: TUS })).status).toBe(404);
  const get = await admin.send("GET", CREATION);
  expect(get.status).toBe(405);
  expect(get.headers.get("allow")).toContain("POST");
});

test("only a POST of this protocol can be overridden by X-HTTP-Method-Override", async () => {
  const path = await create(4);
  const response = await admin.send("POST", path, {
    rawBody: new Uint8Array(4),
    headers: { ...TUS_BYTES, "upload-offset": "0", "x-http-method-override": "PATCH" },
  });
  expect(response.status).toBe(204);
  expect(await offsetOf(path)).toBe(4);
  const headers = { "x-http-method-override": "POST" };
  expect((await admin.call("GET", "/admin/uploads", { headers })).status).toBe(200);
});

test("a page that is called a video is stored as plain bytes, which are only saved", async () => {
  const page = Buffer.from("<html><script>alert(document.domain)</script></html>");
  const path = await create(page.length, {
    "upload-metadata": `filename ${Buffer.from("film.mp4").toString("base64")}`,
  });
  await patch(path, 0, page);
  const id = path.slice(CREATION.length + 1);
  await vodkeep.service.consume({ uploadId: id });
  const [file] = await vodkeep.platform.database.all(
    sql`SELECT content_type FROM files WHERE upload_id = ${id}`,
  );
  expect(file?.content_type).toBe("application/octet-stream");
});
