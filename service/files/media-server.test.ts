import { afterAll, expect, test } from "vitest";
import * as z from "zod/mini";
import * as auth from "#contract/auth.ts";
import { errorBodySchema } from "#contract/errors.ts";
import * as calls from "#contract/files.ts";
import { IDLE_LIFE_MS } from "#service/auth/session-validity.ts";
import { sql } from "#service/db/sql.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { bytesOf, fileAt, openMediaWorld } from "#service/testing/media-world.ts";
import { ADMIN } from "#service/testing/test-service.ts";

const media = await openMediaWorld();
const { admin, key } = media;
afterAll(() => media.close());

/** Lets half the time of an idle session pass; the administrator's is in use. */
async function passTime(): Promise<void> {
  media.clock.advance(IDLE_LIFE_MS / 2);
  await admin.expect(calls.fileStats);
}

test("a finished archive is downloaded completely, as a sandboxed attachment", async () => {
  expect(await media.details()).toMatchObject({ verifiedAt: null });
  const file = await media.details();
  expect(file).toMatchObject({ status: "complete", uploadType: "twitch", username: "pixelpilot" });
  const response = await media.get(file.downloadUrl);
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
  const source = await media.twitch.control.sourceDigest("2000000002");
  expect(bytes.length).toBe(file.size);
  expect(await media.platform.digests.sha256(bytes)).toBe(source.sha256);
});

test("a download supports range and conditional requests", async () => {
  const { downloadUrl, size } = await media.details();
  const whole = await bytesOf(await media.get(downloadUrl));
  const first = await media.get(downloadUrl, { range: "bytes=0-99999" });
  const etag = first.headers.get("etag") ?? "";
  expect(first.status).toBe(206);
  expect(first.headers.get("content-range")).toBe(`bytes 0-99999/${size}`);
  const rest = await media.get(downloadUrl, { range: "bytes=100000-", "if-range": etag });
  expect(rest.status).toBe(206);
  expect(Buffer.concat([await bytesOf(first), await bytesOf(rest)]).equals(whole)).toBe(true);
  const suffix = await bytesOf(await media.get(downloadUrl, { range: "bytes=-7" }));
  expect(Buffer.from(suffix).equals(whole.subarray(-7))).toBe(true);
  expect(await media.statusOf(downloadUrl, { range: "bytes=5-9", "if-range": '"other"' })).toBe(
    200,
  );
  await passTime();
  await passTime();
  const resumed = await media.get(downloadUrl, { range: "bytes=100000-", "if-range": etag });
  expect(resumed.status).toBe(206);
  await resumed.body?.cancel();
  const beyond = await media.get(downloadUrl, { range: `bytes=${size}-` });
  expect(beyond.status).toBe(416);
  expect(beyond.headers.get("content-range")).toBe(`bytes */${size}`);
  for (const known of [etag, "*", `W/${etag}`, `"another", ${etag}`])
    expect(await media.statusOf(downloadUrl, { "if-none-match": known })).toBe(304);
  expect(await media.statusOf(downloadUrl, { "if-none-match": '"another", W/"one"' })).toBe(200);
  const head = await media.get(downloadUrl, {}, "HEAD");
  expect([head.status, await head.text()]).toEqual([200, ""]);
  expect(head.headers.get("content-length")).toBe(String(size));
  expect(await media.statusOf(downloadUrl, {}, "DELETE")).toBe(405);
});

test("HEAD leaves no object open", async () => {
  const { playlistUrl } = await media.details();
  expect(await media.statusOf(playlistUrl, {}, "HEAD")).toBe(200);
  expect(await media.lastBody()?.getReader().read()).toMatchObject({ done: true });
});

test("a file's playlist plays it by byte ranges with the same grant", async () => {
  const { playlistUrl, size } = await media.details();
  const response = await media.get(playlistUrl);
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
  const segment = await media.get(object, { range: `bytes=${offset}-${offset + length - 1}` });
  expect(segment.status).toBe(206);
  expect(segment.headers.get("content-type")).toBe("video/mp2t");
  expect((await bytesOf(segment))[0]).toBe(0x47);
  expect(await media.statusOf(new URL("gap.ts", playlistUrl).href)).toBe(404);
});

test("a file with several init segments reports them and offers its playlist for download", async () => {
  expect(await media.details()).not.toHaveProperty("playlistDownloadUrl");
  const changing = await media.archive("2000001043");
  const file = await admin.expect(calls.getFile, fileAt(changing.fileKey ?? "", "?download=true"));
  expect(file.metadata).toMatchObject({ initSegments: 3 });
  const response = await media.get(file.playlistDownloadUrl);
  expect(response.headers.get("content-disposition")).toContain('[2000001043].m3u8"');
  const lines = (await response.text()).split("\n");
  const names = new Set(lines.filter((line) => line !== "" && !line.startsWith("#")));
  const [name = ""] = names;
  expect([...names]).toEqual([file.downloadUrl?.split("/").at(-1)]);
  expect(lines.filter((line) => line.startsWith(`#EXT-X-MAP:URI="${name}"`))).toHaveLength(3);
});

test("a chat replay can be read as JSON and downloaded as JSON or text", async () => {
  // It is read beside the video, and after it.
  await expect.poll(() => media.details()).toMatchObject({ chatState: { state: "complete" } });
  const { chat } = await media.details();
  const read = await media.get(chat?.url);
  expect(read.headers.get("content-type")).toBe("application/json");
  expect(read.headers.get("content-disposition")).toBeNull();
  const json = await read.text();
  const { comments } = z
    .object({ comments: z.array(z.object({ message: z.object({ body: z.string() }) })) })
    .parse(JSON.parse(json));
  const part = await media.get(chat?.url, { range: "bytes=1-10" });
  expect([part.status, await part.text()]).toEqual([206, json.slice(1, 11)]);

  const saved = await media.get(chat?.downloadUrl);
  expect(saved.headers.get("content-disposition")).toContain(' [2000000002].chat.json"');
  expect(await saved.text()).toBe(json);

  const page = await media.get(chat?.textDownloadUrl);
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
  expect(await (await media.get(chat?.textDownloadUrl, {}, "HEAD")).text()).toBe("");
  // Only a download grant serves the text.
  expect(await media.statusOf(chat?.url.replace(/json$/, "txt"))).toBe(404);
});

test("a file that is only named like a chat replay is served unchanged", async () => {
  const named = "manual/1001/notes/notes.chat.txt";
  const bytes = new TextEncoder().encode("mine");
  const filename = "notes.chat.txt";
  await seedFile(media.platform, { key: named, bytes, filename, uploadType: "manual" });
  const file = await admin.expect(calls.getFile, fileAt(named));
  expect(file.chat).toBeUndefined();
  expect(await bytesOf(await media.get(file.downloadUrl))).toEqual(bytes);
});

test("a link is invalid if its session expires, it is altered, or its user signs out or loses access", async () => {
  const { database } = media.platform;
  const late =
    (await media.details(await media.signInWith("1003", ["read:uploads"]))).downloadUrl ?? "";
  const forged = late.replace(
    /\/media\/(.)/,
    (_, letter: string) => `/media/${letter === "A" ? "B" : "A"}`,
  );
  expect(await media.statusOf(forged)).toBe(404);
  expect(await media.statusOf("/media/x/y")).toBe(404);
  expect(await media.statusOf("/media/")).toBe(404);
  await passTime();
  await passTime();
  expect(await media.statusOf(late)).toBe(404);

  const signedOut = await media.signIn(ADMIN);
  const { downloadUrl, playlistUrl } = await media.details(signedOut);
  expect(await media.statusOf(downloadUrl, {}, "HEAD")).toBe(200);
  await signedOut.expect(auth.logout);
  expect(await media.statusOf(downloadUrl)).toBe(404);
  expect(await media.statusOf(playlistUrl)).toBe(404);

  const demoted = await media.signInWith("1002", ["read:uploads"]);
  const theirs = (await media.details(demoted)).downloadUrl;
  await database.run(sql`UPDATE users SET permissions = '["read:users"]' WHERE id = '1002'`);
  expect(await media.statusOf(theirs)).toBe(404);
  await database.run(
    sql`UPDATE users SET permissions = '["read:uploads"]', banned_at = 1 WHERE id = '1002'`,
  );
  expect(await media.statusOf(theirs)).toBe(404);
});

test("HTML, SVG and JavaScript files are served as binary attachments", async () => {
  for (const [index, type] of ["text/html", "image/svg+xml", "text/javascript"].entries()) {
    const hostile = `manual/1001/up${index}/evil.html`;
    await seedFile(media.platform, {
      key: hostile,
      bytes: new TextEncoder().encode("<script>alert(1)</script>"),
      contentType: type,
      filename: "evil.html",
      uploadType: "manual",
    });
    const file = await admin.expect(calls.getFile, fileAt(hostile));
    const response = await media.get(file.downloadUrl);
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
  await seedFile(media.platform, manual("video/mp4", "manual/1001/clip/my-clip.mp4"));
  const { videoUrl, playlistUrl } = await admin.expect(
    calls.getFile,
    fileAt("manual/1001/clip/my-clip.mp4"),
  );
  expect(playlistUrl).toBeUndefined();
  const range = await media.get(videoUrl, { range: "bytes=2-6" });
  expect(range.status).toBe(206);
  expect(range.headers.get("content-type")).toBe("video/mp4");
  expect(range.headers.get("content-disposition")).toBeNull();
  expect(await bytesOf(range)).toEqual(bytes.slice(2, 7));
  // The grant is valid only for this file under this name.
  expect(await media.statusOf(videoUrl?.replace("my-clip.mp4", "other.mp4"))).toBe(404);

  await seedFile(media.platform, manual("application/octet-stream", "manual/1001/raw/raw.mp4"));
  const unknown = await admin.expect(calls.getFile, fileAt("manual/1001/raw/raw.mp4"));
  expect(unknown.downloadUrl).toBeDefined();
  expect(unknown.videoUrl).toBeUndefined();
});

test("a link returns 404 once the object has been removed from the store", async () => {
  const leaving = "vods/1/2/leaves.ts";
  await seedFile(media.platform, { key: leaving, bytes: new Uint8Array(9) });
  const { downloadUrl } = await admin.expect(calls.getFile, fileAt(leaving, "?download=true"));
  expect(await media.statusOf(downloadUrl)).toBe(200);
  await media.platform.objects.delete(calls.objectKeySchema.parse(leaving));
  const response = await media.get(downloadUrl);
  expect(response.status).toBe(404);
  expect(errorBodySchema.parse(await response.json()).error.code).toBe("not_found");
  await media.platform.database.run(sql`DELETE FROM files WHERE object_key = ${leaving}`);
});

test("a request returns 404 if the file is overwritten while it is opened", async () => {
  const replaced = "vods/1/2/replaced.ts";
  await seedFile(media.platform, { key: replaced, bytes: new Uint8Array(9) });
  const { downloadUrl } = await admin.expect(calls.getFile, fileAt(replaced, "?download=true"));
  media.betweenReads(async () =>
    media.platform.objects.put(calls.objectKeySchema.parse(replaced), new Uint8Array(9).fill(1), {
      contentType: "video/mp2t",
    }),
  );
  expect(await media.statusOf(downloadUrl)).toBe(404);
  expect(await media.statusOf(downloadUrl)).toBe(200);
  await media.platform.database.run(sql`DELETE FROM files WHERE object_key = ${replaced}`);
});

test("a file cut short in the store is refused once and then served as partial", async () => {
  const { objects } = media.platform;
  const short = calls.objectKeySchema.parse("vods/1/2/short.ts");
  await seedFile(media.platform, { key: short, bytes: new Uint8Array(9) });
  const { downloadUrl } = await admin.expect(calls.getFile, fileAt(short, "?download=true"));
  await objects.put(short, new Uint8Array(5), { contentType: "video/mp2t" });
  expect(await media.statusOf(downloadUrl)).toBe(409);
  expect((await admin.expect(calls.getFile, fileAt(short))).status).toBe("partial");
  expect(await bytesOf(await media.get(downloadUrl))).toHaveLength(5);
  await media.platform.database.run(sql`DELETE FROM files WHERE object_key = ${short}`);
});

function startMinute(): void {
  media.clock.advance(60_000 - (media.clock.now() % 60_000));
}

test("the first use of each link is audited, once a minute, with or without download=true", async () => {
  const entries = async () =>
    await media.platform.database.all(sql`
      SELECT action, actor_id FROM audit
      WHERE action IN ('file.download', 'file.play') AND target = ${key} ORDER BY seq`);
  const before = (await entries()).length;
  startMinute();
  const described = await admin.expect(calls.getFile, fileAt(key));
  expect(await entries()).toHaveLength(before);
  for (let times = 0; times < 3; times += 1) {
    expect(await media.statusOf(described.downloadUrl)).toBe(200);
    expect(await media.statusOf(described.playlistUrl ?? described.videoUrl)).toBeLessThan(500);
  }
  expect((await entries()).slice(before)).toEqual([
    { action: "file.download", actor_id: ADMIN },
    { action: "file.play", actor_id: ADMIN },
  ]);
  startMinute();
  for (let times = 0; times < 3; times += 1) {
    const asked = await admin.expect(calls.getFile, fileAt(key, "?download=true"));
    expect(await media.statusOf(asked.downloadUrl)).toBe(200);
  }
  expect(await entries()).toHaveLength(before + 3);
});
