import { afterAll, expect, test } from "vitest";
import * as z from "zod/mini";
import * as auth from "#contract/auth.ts";
import { IDLE_LIFE_MS } from "#service/auth/session-validity.ts";
import { errorBodySchema } from "#contract/errors.ts";
import * as calls from "#contract/files.ts";
import { type Upload } from "#contract/upload.ts";
import { uploadStreamMessageSchema } from "#contract/upload-stream.ts";
import { retryUpload } from "#contract/uploads.ts";
import { sql } from "#service/db/sql.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { startArchive } from "#service/testing/start-archive.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { UPLOADS_TOPIC } from "#service/storage/upload-events.ts";

/** The store fails for this key. */
const UNANSWERED_KEY = "vods/1/2/unanswered.ts";

/** Runs once, between a call of head and the next one. */
let meanwhile: () => Promise<unknown> = async () => undefined;

/** The body of the object that was read last. */
let lastBody: ReadableStream<Uint8Array> | undefined;

/** A VOD of one minute, archived by the service. */
const vodkeep = await startTestService({
  starts: true,
  changePlatform: (platform) => ({
    ...platform,
    objects: {
      ...platform.objects,
      head: async (wanted) => {
        if (wanted === UNANSWERED_KEY) throw new Error("The store is away");
        const found = await platform.objects.head(wanted);
        const happens = meanwhile;
        meanwhile = async () => undefined;
        await happens();
        return found;
      },
      get: async (...wanted) => {
        const found = await platform.objects.get(...wanted);
        lastBody = found?.body;
        return found;
      },
    },
  }),
});
const admin = await vodkeep.signIn(ADMIN);
const archived = await archive("2000000002");
const key = archived.fileKey ?? "";
afterAll(() => vodkeep.close());

async function archive(vodId: string, ends: Upload["status"] = "completed"): Promise<Upload> {
  const started = Promise.withResolvers<Upload>();
  const finished = Promise.withResolvers<Upload>();
  const { unsubscribe } = await vodkeep.platform.hub.subscribe(UPLOADS_TOPIC, null, ({ data }) => {
    const message = uploadStreamMessageSchema.parse(JSON.parse(data));
    if (message.type === "upload_update" && /completed|failed/.test(message.upload.status))
      void note(message.upload);
  });
  /** Earlier archives are published again when their chats end. */
  async function note(ended: Upload): Promise<void> {
    if (ended.id === (await started.promise).id) finished.resolve(ended);
  }
  started.resolve(await startArchive(admin, vodId));
  const upload = await finished.promise;
  unsubscribe();
  expect(upload.status).toBe(ends);
  return upload;
}

function fileAt(path: string, query = ""): string {
  return `/admin/r2/file/${path}${query}`;
}

async function details(client: TestClient = admin): Promise<calls.StoredFile> {
  return await client.expect(calls.getFile, fileAt(key, "?download=true"));
}

/** Requests media without a session, because the grant is in the address. */
function get(address: string | undefined, headers: Record<string, string> = {}, method = "GET") {
  return vodkeep.visitor().send(method, address ?? "", { headers: { origin: "", ...headers } });
}

async function statusOf(...request: Parameters<typeof get>): Promise<number> {
  const response = await get(...request);
  await response.body?.cancel();
  return response.status;
}

async function waitingRemovals() {
  return await vodkeep.platform.database.all(
    sql`SELECT key FROM jobs WHERE kind IN ('removal', 'abort')`,
  );
}

/** Polls, because a concurrent sweep may have claimed the removals of a call. */
async function untilRemoved(): Promise<void> {
  await expect.poll(waitingRemovals).toEqual([]);
}

/** Lets half the time of an idle session pass; the administrator's is in use. */
async function passTime(): Promise<void> {
  vodkeep.clock.advance(IDLE_LIFE_MS / 2);
  await admin.expect(calls.fileStats);
}

async function bytesOf(response: Response): Promise<Uint8Array> {
  return new Uint8Array(await response.arrayBuffer());
}

test("a finished archive is downloaded completely, as a sandboxed attachment", async () => {
  expect(await details()).toMatchObject({ verifiedAt: null });
  const file = await details();
  expect(file).toMatchObject({ status: "complete", uploadType: "twitch", username: "pixelpilot" });
  const response = await get(file.downloadUrl);
  expect(response.status).toBe(200);
  const { headers } = response;
  expect(headers.get("content-disposition")).toMatch(
    /filename="pixelpilot - \d{4}-\d\d-\d\d - .+ \[2000000002\]\.ts"/,
  );
  expect(headers.get("content-disposition")).toContain(`filename="${file.downloadName}"`);
  expect(headers.get("content-security-policy")).toContain("sandbox");
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("accept-ranges")).toBe("bytes");
  expect(headers.get("content-length")).toBe(String(file.size));
  const bytes = await bytesOf(response);
  const source = await vodkeep.twitch.control.sourceDigest("2000000002");
  expect(bytes.length).toBe(file.size);
  expect(await vodkeep.platform.digests.sha256(bytes)).toBe(source.sha256);
});

test("a download supports range and conditional requests", async () => {
  const { downloadUrl, size } = await details();
  const whole = await bytesOf(await get(downloadUrl));
  const first = await get(downloadUrl, { range: "bytes=0-99999" });
  const etag = first.headers.get("etag") ?? "";
  expect(first.status).toBe(206);
  expect(first.headers.get("content-range")).toBe(`bytes 0-99999/${size}`);
  const rest = await get(downloadUrl, { range: "bytes=100000-", "if-range": etag });
  expect(rest.status).toBe(206);
  expect(Buffer.concat([await bytesOf(first), await bytesOf(rest)]).equals(whole)).toBe(true);
  const suffix = await bytesOf(await get(downloadUrl, { range: "bytes=-7" }));
  expect(Buffer.from(suffix).equals(whole.subarray(-7))).toBe(true);
  expect(await statusOf(downloadUrl, { range: "bytes=5-9", "if-range": '"other"' })).toBe(200);
  await passTime();
  await passTime();
  const resumed = await get(downloadUrl, { range: "bytes=100000-", "if-range": etag });
  expect(resumed.status).toBe(206);
  await resumed.body?.cancel();
  const beyond = await get(downloadUrl, { range: `bytes=${size}-` });
  expect(beyond.status).toBe(416);
  expect(beyond.headers.get("content-range")).toBe(`bytes */${size}`);
  for (const known of [etag, "*", `W/${etag}`, `"another", ${etag}`])
    expect(await statusOf(downloadUrl, { "if-none-match": known })).toBe(304);
  expect(await statusOf(downloadUrl, { "if-none-match": '"another", W/"one"' })).toBe(200);
  const head = await get(downloadUrl, {}, "HEAD");
  expect([head.status, await head.text()]).toEqual([200, ""]);
  expect(head.headers.get("content-length")).toBe(String(size));
  expect(await statusOf(downloadUrl, {}, "DELETE")).toBe(405);
});

test("HEAD leaves no object open", async () => {
  const { playlistUrl } = await details();
  expect(await statusOf(playlistUrl, {}, "HEAD")).toBe(200);
  expect(await lastBody?.getReader().read()).toMatchObject({ done: true });
});

test("the proof contains the digest of each part", async () => {
  const proof = await admin.expect(calls.getFileProof, `/admin/r2/proof/${key}`);
  const bytes = await bytesOf(await get((await details()).downloadUrl));
  const parts = proof.partSha256.map((_digest, index) =>
    bytes.slice(index * proof.partSizeBytes, (index + 1) * proof.partSizeBytes),
  );
  expect(proof.partSha256).toEqual(
    await Promise.all(parts.map((part) => vodkeep.platform.digests.sha256(part))),
  );
  expect(proof.partSha256.length * proof.partSizeBytes).toBeGreaterThanOrEqual(bytes.length);
});

test("a file's playlist plays it by byte ranges with the same grant", async () => {
  const { playlistUrl, size } = await details();
  const response = await get(playlistUrl);
  expect(response.headers.get("content-type")).toBe("application/vnd.apple.mpegurl");
  expect(response.headers.get("content-disposition")).toBeNull();
  const lines = (await response.text()).split("\n");
  const [name] = new Set(lines.filter((line) => line !== "" && !line.startsWith("#")));
  const ranges = lines
    .filter((line) => line.startsWith("#EXT-X-BYTERANGE:"))
    .map((line) => line.slice(17).split("@").map(Number));
  expect(ranges.reduce((sum, [length = 0]) => sum + length, 0)).toBe(size);
  const object = new URL(name ?? "", playlistUrl).href;
  const [length = 0, offset = 0] = ranges[1] ?? [];
  const segment = await get(object, { range: `bytes=${offset}-${offset + length - 1}` });
  expect(segment.status).toBe(206);
  expect(segment.headers.get("content-type")).toBe("video/mp2t");
  expect((await bytesOf(segment))[0]).toBe(0x47);
  expect(await statusOf(new URL("gap.ts", playlistUrl).href)).toBe(404);
});

test("a file with several init segments reports them and offers its playlist for download", async () => {
  expect(await details()).not.toHaveProperty("playlistDownloadUrl");
  const changing = await archive("2000001043");
  const file = await admin.expect(calls.getFile, fileAt(changing.fileKey ?? "", "?download=true"));
  expect(file.metadata).toMatchObject({ initSegments: 3 });
  const response = await get(file.playlistDownloadUrl);
  expect(response.headers.get("content-disposition")).toContain('[2000001043].m3u8"');
  const lines = (await response.text()).split("\n");
  const names = new Set(lines.filter((line) => line !== "" && !line.startsWith("#")));
  const [name = ""] = names;
  expect([...names]).toEqual([file.downloadUrl?.split("/").at(-1)]);
  expect(lines.filter((line) => line.startsWith(`#EXT-X-MAP:URI="${name}"`))).toHaveLength(3);
});

test("a chat replay can be read as JSON and downloaded as JSON or text", async () => {
  // It is read beside the video, and after it.
  await expect.poll(() => details()).toMatchObject({ chatState: { state: "complete" } });
  const { chat } = await details();
  const read = await get(chat?.url);
  expect(read.headers.get("content-type")).toBe("application/json");
  expect(read.headers.get("content-disposition")).toBeNull();
  const json = await read.text();
  const { comments } = z
    .object({ comments: z.array(z.object({ message: z.object({ body: z.string() }) })) })
    .parse(JSON.parse(json));
  const part = await get(chat?.url, { range: "bytes=1-10" });
  expect([part.status, await part.text()]).toEqual([206, json.slice(1, 11)]);

  const saved = await get(chat?.downloadUrl);
  expect(saved.headers.get("content-disposition")).toContain(' [2000000002].chat.json"');
  expect(await saved.text()).toBe(json);

  const page = await get(chat?.textDownloadUrl);
  expect(page.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  expect(page.headers.get("content-disposition")).toContain(' [2000000002].chat.txt"');
  expect(page.headers.get("x-content-type-options")).toBe("nosniff");
  expect(page.headers.get("content-security-policy")).toContain("sandbox");
  const lines = (await page.text()).trimEnd().split("\n");
  expect(lines).toHaveLength(comments.length);
  for (const [index, line] of lines.entries()) {
    expect(line).toMatch(/^\[0:0\d:\d\d\] [^:]+: ./);
    expect(line).toContain(comments[index]?.message.body.replaceAll("\u202E", "\uFFFD"));
  }
  expect(await (await get(chat?.textDownloadUrl, {}, "HEAD")).text()).toBe("");
  // Only a download grant serves the text.
  expect(await statusOf(chat?.url.replace(/json$/, "txt"))).toBe(404);
});

test("a file that is only named like a chat replay is served unchanged", async () => {
  const named = "manual/1001/notes/notes.chat.txt";
  const bytes = new TextEncoder().encode("mine");
  const filename = "notes.chat.txt";
  await seedFile(vodkeep.platform, { key: named, bytes, filename, uploadType: "manual" });
  const file = await admin.expect(calls.getFile, fileAt(named));
  expect(file.chat).toBeUndefined();
  expect(await bytesOf(await get(file.downloadUrl))).toEqual(bytes);
});

test("a file's details include when it was last verified", async () => {
  // Too recent for the scrub.
  const verifiedAt = new Date(vodkeep.clock.now()).toISOString();
  await vodkeep.platform.database.run(
    sql`UPDATE files SET verified_at = ${Date.parse(verifiedAt)} WHERE object_key = ${key}`,
  );
  expect(await details()).toMatchObject({ verifiedAt });
});

test("a link is invalid if its session expires, it is altered, or its user signs out or loses access", async () => {
  const { database } = vodkeep.platform;
  const late =
    (await details(await vodkeep.signInWith("1003", ["read:uploads"]))).downloadUrl ?? "";
  const forged = late.replace(
    /\/media\/(.)/,
    (_, letter: string) => `/media/${letter === "A" ? "B" : "A"}`,
  );
  expect(await statusOf(forged)).toBe(404);
  expect(await statusOf("/media/x/y")).toBe(404);
  expect(await statusOf("/media/")).toBe(404);
  await passTime();
  await passTime();
  expect(await statusOf(late)).toBe(404);

  const signedOut = await vodkeep.signIn(ADMIN);
  const { downloadUrl, playlistUrl } = await details(signedOut);
  expect(await statusOf(downloadUrl, {}, "HEAD")).toBe(200);
  await signedOut.expect(auth.logout);
  expect(await statusOf(downloadUrl)).toBe(404);
  expect(await statusOf(playlistUrl)).toBe(404);

  const demoted = await vodkeep.signInWith("1002", ["read:uploads"]);
  const theirs = (await details(demoted)).downloadUrl;
  await database.run(sql`UPDATE users SET permissions = '["read:users"]' WHERE id = '1002'`);
  expect(await statusOf(theirs)).toBe(404);
  await database.run(
    sql`UPDATE users SET permissions = '["read:uploads"]', banned_at = 1 WHERE id = '1002'`,
  );
  expect(await statusOf(theirs)).toBe(404);
});

test("HTML, SVG and JavaScript files are served as binary attachments", async () => {
  const { platform } = vodkeep;
  for (const [index, type] of ["text/html", "image/svg+xml", "text/javascript"].entries()) {
    const hostile = `manual/1001/up${index}/evil.html`;
    await seedFile(platform, {
      key: hostile,
      bytes: new TextEncoder().encode("<script>alert(1)</script>"),
      contentType: type,
      filename: "evil.html",
      uploadType: "manual",
    });
    const file = await admin.expect(calls.getFile, fileAt(hostile));
    const response = await get(file.downloadUrl);
    expect(response.headers.get("content-type")).toBe("application/octet-stream");
    expect(response.headers.get("content-disposition")).toMatch(/^attachment/);
    await response.body?.cancel();
  }
});

test("a manual upload of a playable type is served inline with ranges and its own type", async () => {
  const bytes = new TextEncoder().encode("a video's bytes");
  const manual = (contentType: string, at: string) => ({
    key: at,
    bytes,
    contentType,
    filename: "my clip.mp4",
    uploadType: "manual" as const,
  });
  await seedFile(vodkeep.platform, manual("video/mp4", "manual/1001/clip/my-clip.mp4"));
  const { videoUrl, playlistUrl } = await admin.expect(
    calls.getFile,
    fileAt("manual/1001/clip/my-clip.mp4"),
  );
  expect(playlistUrl).toBeUndefined();
  const range = await get(videoUrl, { range: "bytes=2-6" });
  expect(range.status).toBe(206);
  expect(range.headers.get("content-type")).toBe("video/mp4");
  expect(range.headers.get("content-disposition")).toBeNull();
  expect(await bytesOf(range)).toEqual(bytes.slice(2, 7));
  // The grant is valid only for this file under this name.
  expect(await statusOf(videoUrl?.replace("my-clip.mp4", "other.mp4"))).toBe(404);

  await seedFile(vodkeep.platform, manual("application/octet-stream", "manual/1001/raw/raw.mp4"));
  const unknown = await admin.expect(calls.getFile, fileAt("manual/1001/raw/raw.mp4"));
  expect(unknown.downloadUrl).toBeDefined();
  expect(unknown.videoUrl).toBeUndefined();
});

test("a file has no links while its object is missing, but keeps them if the store fails", async () => {
  const { database, objects } = vodkeep.platform;
  const lost = calls.objectKeySchema.parse("vods/1/2/lost.ts");
  const bytes = new TextEncoder().encode("once stored");
  await seedFile(vodkeep.platform, { key: lost, bytes });
  const before = await admin.expect(calls.getFile, fileAt(lost));
  expect(before.playlistUrl).toBeDefined();
  await objects.delete(lost);
  const { downloadUrl, playlistUrl } = await admin.expect(calls.getFile, fileAt(lost));
  expect([downloadUrl, playlistUrl]).toEqual([undefined, undefined]);
  await objects.put(lost, bytes, { contentType: "video/mp2t" });
  const again = await admin.expect(calls.getFile, fileAt(lost));
  expect(await bytesOf(await get(again.downloadUrl))).toEqual(bytes);

  await seedFile(vodkeep.platform, { key: UNANSWERED_KEY });
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
    await seedFile(vodkeep.platform, { key: linkless, status, uploadType });
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

test("a link returns 404 once the object has been removed from the store", async () => {
  const leaving = "vods/1/2/leaves.ts";
  await seedFile(vodkeep.platform, { key: leaving, bytes: new Uint8Array(9) });
  const { downloadUrl } = await admin.expect(calls.getFile, fileAt(leaving, "?download=true"));
  expect(await statusOf(downloadUrl)).toBe(200);
  await vodkeep.platform.objects.delete(calls.objectKeySchema.parse(leaving));
  const response = await get(downloadUrl);
  expect(response.status).toBe(404);
  expect(errorBodySchema.parse(await response.json()).error.code).toBe("not_found");
  await vodkeep.platform.database.run(sql`DELETE FROM files WHERE object_key = ${leaving}`);
});

test("a request returns 404 if the file is overwritten while it is opened", async () => {
  const replaced = "vods/1/2/replaced.ts";
  await seedFile(vodkeep.platform, { key: replaced, bytes: new Uint8Array(9) });
  const { downloadUrl } = await admin.expect(calls.getFile, fileAt(replaced, "?download=true"));
  meanwhile = async () =>
    vodkeep.platform.objects.put(calls.objectKeySchema.parse(replaced), new Uint8Array(9).fill(1), {
      contentType: "video/mp2t",
    });
  expect(await statusOf(downloadUrl)).toBe(404);
  expect(await statusOf(downloadUrl)).toBe(200);
  await vodkeep.platform.database.run(sql`DELETE FROM files WHERE object_key = ${replaced}`);
});

test("a file cut short in the store is refused once and then served as partial", async () => {
  const { objects } = vodkeep.platform;
  const short = calls.objectKeySchema.parse("vods/1/2/short.ts");
  await seedFile(vodkeep.platform, { key: short, bytes: new Uint8Array(9) });
  const { downloadUrl } = await admin.expect(calls.getFile, fileAt(short, "?download=true"));
  await objects.put(short, new Uint8Array(5), { contentType: "video/mp2t" });
  expect(await statusOf(downloadUrl)).toBe(409);
  expect((await admin.expect(calls.getFile, fileAt(short))).status).toBe("partial");
  expect(await bytesOf(await get(downloadUrl))).toHaveLength(5);
  await vodkeep.platform.database.run(sql`DELETE FROM files WHERE object_key = ${short}`);
});

function startMinute(): void {
  vodkeep.clock.advance(60_000 - (vodkeep.clock.now() % 60_000));
}

test("the first use of each link is audited, once a minute, with or without download=true", async () => {
  const entries = async () =>
    await vodkeep.platform.database.all(sql`
      SELECT action, actor_id FROM audit
      WHERE action IN ('file.download', 'file.play') AND target = ${key} ORDER BY seq`);
  const before = (await entries()).length;
  startMinute();
  const described = await admin.expect(calls.getFile, fileAt(key));
  expect(await entries()).toHaveLength(before);
  for (let times = 0; times < 3; times += 1) {
    expect(await statusOf(described.downloadUrl)).toBe(200);
    expect(await statusOf(described.playlistUrl ?? described.videoUrl)).toBeLessThan(500);
  }
  expect((await entries()).slice(before)).toEqual([
    { action: "file.download", actor_id: ADMIN },
    { action: "file.play", actor_id: ADMIN },
  ]);
  startMinute();
  for (let times = 0; times < 3; times += 1) {
    const asked = await admin.expect(calls.getFile, fileAt(key, "?download=true"));
    expect(await statusOf(asked.downloadUrl)).toBe(200);
  }
  expect(await entries()).toHaveLength(before + 3);
});

test("concurrent deletions remove only the file and its sidecars, and only once", async () => {
  const { objects, database } = vodkeep.platform;
  const upload = await archive("2000000007");
  const deletedKey = upload.fileKey ?? "";
  const neighbour = deletedKey.replace(/\.ts$/, "0.ts");
  await seedFile(vodkeep.platform, { key: neighbour, bytes: new Uint8Array(7) });
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
  const failed = await archive("2000001130", "failed");
  const partialKey = failed.fileKey ?? "";
  const file = await admin.expect(calls.getFile, fileAt(partialKey));
  expect(file.status).toBe("partial");
  expect(await statusOf(file.downloadUrl)).toBe(200);
  await admin.expect(calls.deleteFile, fileAt(partialKey));
  await untilRemoved();
  const { objects } = vodkeep.platform;
  expect((await objects.list({ prefix: `vods/${failed.userId}/2000001130/` })).objects).toEqual([]);
  const retried = await admin.expect(retryUpload, `/admin/uploads/${failed.id}/retry`);
  expect(retried).toMatchObject({ retryCount: 1, fileKey: null });
});

test("a retry is rejected while deleted objects of the upload are still being removed", async () => {
  const { database } = vodkeep.platform;
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

async function listObjects(): Promise<string> {
  return JSON.stringify(await vodkeep.platform.objects.list({}));
}
