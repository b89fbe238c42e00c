import { hash } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { chooseRendition } from "#service/source/rendition-choice.ts";
import { openArchiveWorld, type ArchiveWorld } from "#service/testing/archive-world.ts";
import { receivedBytes } from "#service/testing/received-bytes.ts";
import { startOrigin, type OriginFile } from "#stand-ins/origin/server.ts";

const origin = await startOrigin();
const world = await openArchiveWorld({ settings: { SOURCE_HOSTS: `${origin.host},127.0.0.1:1` } });
afterAll(async () => {
  await world.close();
  await origin.close();
});

const MODIFIED_AT = new Date("2026-03-04T05:06:07Z");

/** Bytes that begin like an MP4 file and differ by `seed`. */
function mp4(sizeBytes: number, seed = 1): Uint8Array {
  const bytes = new Uint8Array(sizeBytes);
  for (let at = 0; at < sizeBytes; at += 1) bytes[at] = at * seed + (at >> 8);
  bytes.set(new TextEncoder().encode("\0\0\0\u0018ftypisom"));
  return bytes;
}

function put(path: string, file: Partial<Extract<OriginFile, { bytes: Uint8Array }>>): string {
  origin.put(path, {
    bytes: mp4(1_000),
    type: "video/mp4",
    etag: '"one"',
    modifiedAt: MODIFIED_AT,
    ...file,
  });
  return `http://${origin.host}${path}`;
}

async function archive(url: string) {
  return await world.archiveToEnd(await world.addDirectUpload(url));
}

/** Serves the media of a VOD of the Twitch stand-in as an origin of its own. */
async function mirror(vodOf: Parameters<ArchiveWorld["twitch"]["control"]["addVod"]>[0]) {
  const vod = await world.twitch.control.addVod({ segmentCount: 4, ...vodOf });
  const rendition = chooseRendition(await world.source.open(vod.id), "best");
  const received = await receivedBytes(await world.source.fetch(rendition.playlistUrl));
  const playlist = new TextDecoder().decode(received);
  const names = [...playlist.matchAll(/^(?!#)(\S+)$|URI="([^"]+)"/gm)].map(
    ([, segment, init]) => segment ?? init ?? "",
  );
  for (const name of new Set(names)) {
    const response = await world.source.fetch(new URL(name, rendition.playlistUrl).href);
    const bytes = await receivedBytes(response);
    origin.put(`/${vod.id}/${name}`, { bytes, type: "video/mp2t" });
  }
  const path = `/${vod.id}/media.m3u8`;
  origin.put(path, text(playlist));
  return { vod, path, playlist, url: `http://${origin.host}${path}` };
}

function text(playlist: string): OriginFile {
  const bytes = new TextEncoder().encode(playlist);
  return { bytes, type: "application/vnd.apple.mpegurl" };
}

describe("a file", () => {
  it.each([
    ["mp4", mp4(20_000_001), {}, "video/mp4"],
    [
      "webm",
      Uint8Array.from([0x1a, 0x45, 0xdf, 0xa3, ...Buffer.from("..webm..")]),
      {},
      "video/webm",
    ],
    ["mkv", Uint8Array.from([0x1a, 0x45, 0xdf, 0xa3, 1, 2, 3]), {}, "video/x-matroska"],
    ["mp4 of a host with weak tags", mp4(9_000_000), { etag: 'W/"x"' }, "video/mp4"],
  ])("is stored unchanged: %s", async (name, bytes, more, type) => {
    const url = put(`/films/${name.replaceAll(" ", "-")}?token=secret`.split("?")[0] ?? "", {
      bytes,
      ...more,
    });
    const upload = await archive(`${url}?token=secret`);
    expect(upload).toMatchObject({
      kind: "url",
      status: "completed",
      errorMessage: null,
      progress: 100,
      originalSize: bytes.byteLength,
      metadata: { durationSec: null, streamTitle: url.split("/").at(-1) },
      debugInfo: { twitchVodId: null, sourceAddress: url.slice("http://".length) },
    });
    expect(await world.storedDigest(upload.fileKey ?? "")).toEqual({
      sizeBytes: bytes.byteLength,
      sha256: hash("sha256", bytes),
    });
    const [file] = await world.context.platform.database.all({
      sql: "SELECT upload_type, content_type, filename FROM files WHERE upload_id = ?",
      values: [upload.id],
    });
    expect(file).toMatchObject({ upload_type: "url", content_type: type });
    expect(file?.filename).toMatch(/^127\.0\.0\.1-/);
    expect(JSON.stringify(upload)).not.toContain("secret");
  });

  it("that changes during the copy is copied again in its later version", async () => {
    const later = mp4(25_000_000, 2);
    const url = put("/changing.mp4", { bytes: mp4(30_000_000) });
    origin.onRequest((path, range) => {
      if (path === "/changing.mp4" && range?.startsWith("bytes=16777216-") === true)
        put("/changing.mp4", { bytes: later, etag: '"two"' });
    });
    const upload = await archive(url);
    origin.onRequest(() => undefined);
    expect(upload.status).toBe("completed");
    expect((await world.storedDigest(upload.fileKey ?? "")).sha256).toBe(hash("sha256", later));
    expect(world.log()).toContain("The file has changed at its source");
  });

  it("that keeps changing fails", async () => {
    const url = put("/restless.mp4", { bytes: mp4(9_000_000) });
    let version = 0;
    origin.onRequest((path, range) => {
      if (path !== "/restless.mp4" || range?.startsWith("bytes=0-4095") === true) return;
      version += 1;
      const change = { etag: `"v${version}"`, modifiedAt: new Date(version * 1_000) };
      put("/restless.mp4", { bytes: mp4(9_000_000), ...change });
    });
    const upload = await archive(url);
    origin.onRequest(() => undefined);
    expect(upload).toMatchObject({ status: "failed", failureClass: "source_corrupt" });
    expect(upload.errorMessage).toBe("The file has changed at its source, 3 times in a row.");
  });

  it("is copied from mirrors with different tags and one date, or one tag and different dates", async () => {
    for (const change of [{ modifiedAt: new Date(0) }, { etag: '"same"' }]) {
      const bytes = mp4(20_000_000);
      const url = put("/mirrored.mp4", { bytes, ...change });
      let requests = 0;
      origin.onRequest(() => {
        requests += 1;
        const other = { etag: `"${requests}"`, modifiedAt: new Date(requests * 60_000), ...change };
        put("/mirrored.mp4", { bytes, ...other });
      });
      const upload = await archive(`${url}?${Object.keys(change).join()}`);
      origin.onRequest(() => undefined);
      expect(upload).toMatchObject({ status: "completed", retryCount: 0 });
    }
    expect(world.log()).not.toContain("mirrored.mp4 has changed");
  });

  it("survives a single 404", async () => {
    const bytes = mp4(20_000_000);
    const url = put("/blinking.mp4", { bytes });
    let isMissed = false;
    origin.onRequest((path, range) => {
      if (path !== "/blinking.mp4") return;
      if (isMissed || range?.startsWith("bytes=8388608-") !== true) put(path, { bytes });
      else origin.remove(path);
      isMissed ||= range?.startsWith("bytes=8388608-") === true;
    });
    const upload = await archive(url);
    origin.onRequest(() => undefined);
    expect(upload).toMatchObject({ status: "completed", errorMessage: null, retryCount: 0 });
  });

  it("that is removed during the copy fails as gone at the source", async () => {
    const url = put("/vanishing.mp4", { bytes: mp4(20_000_000) });
    origin.onRequest((path, range) => {
      if (path === "/vanishing.mp4" && range?.startsWith("bytes=8388608-") === true)
        origin.remove("/vanishing.mp4");
    });
    const upload = await archive(url);
    origin.onRequest(() => undefined);
    expect(upload).toMatchObject({ status: "failed", failureClass: "gone_at_source" });
    expect(upload.errorMessage).toBe("The source no longer has the file.");
  });

  it.each([
    [
      "the host does not support range requests",
      { ranges: false },
      /does not support range requests/,
    ],
    [
      "it is an HTML page",
      { bytes: new TextEncoder().encode("<!doctype html>") },
      /neither an HLS/,
    ],
    ["it is empty", { bytes: new Uint8Array() }, /neither an HLS|is empty/],
  ])("is rejected when %s", async (name, more, message) => {
    const upload = await archive(put(`/refused/${name.replaceAll(" ", "-")}`, more));
    expect(upload).toMatchObject({ status: "failed", failureClass: "source_corrupt" });
    expect(upload.errorMessage).toMatch(message);
  });
});

it("a file without ETag and Last-Modified is rejected", async () => {
  origin.put("/timeless.mp4", { bytes: mp4(1_000), type: "video/mp4" });
  const upload = await archive(`http://${origin.host}/timeless.mp4`);
  expect(upload.errorMessage).toMatch(/neither ETag nor Last-Modified/);
});

describe("a playlist", () => {
  it.each(["ts", "fmp4"] as const)("of %s is archived like a VOD", async (container) => {
    const { vod, url } = await mirror({ container });
    const upload = await archive(url);
    expect(upload).toMatchObject({ status: "completed", errorMessage: null });
    expect(await world.holdsVod(upload, vod.id)).toBe(true);
    const playlist = await world.storedText(
      (upload.fileKey ?? "").replace(/\.(?:ts|mp4)$/, ".m3u8"),
    );
    expect(playlist.match(/#EXT-X-BYTERANGE/g)).toHaveLength(4);
  });

  it("is recognized where it is stored as gzip", async () => {
    const { vod, url, path, playlist } = await mirror({
      segmentCount: 400,
      segmentSizeBytes: 1_000,
    });
    // Some hosts send it so in any case.
    origin.put(path, { ...text(playlist), bytes: gzipSync(playlist) });
    const upload = await archive(url);
    expect(upload).toMatchObject({ status: "completed", errorMessage: null });
    expect(await world.holdsVod(upload, vod.id)).toBe(true);
    origin.put("/other.gz", { ...text(""), bytes: gzipSync("text"), etag: '"1"' });
    const other = await archive(`http://${origin.host}/other.gz`);
    expect(other.errorMessage).toMatch(/neither an HLS playlist/);
  });

  it("is chosen as the best of several renditions", async () => {
    const best = await mirror({ container: "ts" });
    const list = [
      "#EXTM3U",
      "#EXT-X-STREAM-INF:BANDWIDTH=800000,RESOLUTION=640x360",
      "/nowhere/media.m3u8",
      "#EXT-X-STREAM-INF:BANDWIDTH=8000000,RESOLUTION=1920x1080",
      best.path,
    ];
    origin.put("/master.m3u8", text(`${list.join("\n")}\n`));
    const upload = await archive(`http://${origin.host}/master.m3u8`);
    expect(upload.status).toBe("completed");
    expect(await world.holdsVod(upload, best.vod.id)).toBe(true);
  });

  it.each([
    [
      "encrypted",
      /#EXTINF/,
      '#EXT-X-KEY:METHOD=AES-128,URI="k"\n#EXTINF',
      /segments are encrypted/,
    ],
    ["unfinished", /#EXT-X-ENDLIST/, "", /still being written/],
    ["scattered", /^(?!#)(\S+)$/m, "https://elsewhere.example/0.ts", /own host/],
  ])("that is %s is rejected", async (name, part, replacement, message) => {
    const { playlist, vod } = await mirror({ container: "ts" });
    origin.put(`/${vod.id}/${name}.m3u8`, text(playlist.replace(part, replacement)));
    const upload = await archive(`http://${origin.host}/${vod.id}/${name}.m3u8`);
    expect(upload).toMatchObject({ status: "failed", failureClass: "source_corrupt" });
    expect(upload.errorMessage).toMatch(message);
  });

  it("with separate audio is rejected", async () => {
    const list = [
      "#EXTM3U",
      '#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="English",URI="sound.m3u8"',
      '#EXT-X-STREAM-INF:BANDWIDTH=8000000,RESOLUTION=1920x1080,AUDIO="a"',
      "picture.m3u8",
    ];
    origin.put("/split.m3u8", text(`${list.join("\n")}\n`));
    const upload = await archive(`http://${origin.host}/split.m3u8`);
    expect(upload.errorMessage).toMatch(/sound and picture in separate files/);
  });
});

it("redirects are followed to listed hosts only", async () => {
  const film = put("/film.mp4", { bytes: mp4(5_000) });
  origin.put("/moved.mp4", { redirectTo: film });
  expect((await archive(`http://${origin.host}/moved.mp4`)).status).toBe("completed");
  for (const redirectTo of ["http://127.0.0.1:9/film.mp4", "http://169.254.169.254/latest/"]) {
    origin.put("/away.mp4", { redirectTo });
    const upload = await archive(`http://${origin.host}/away.mp4`);
    expect(upload).toMatchObject({ status: "failed", failureClass: "source_corrupt" });
    expect(upload.errorMessage).toMatch(
      / is on (?:127.0.0.1:9|169.254.169.254), which SOURCE_HOSTS does not list/,
    );
  }
});
