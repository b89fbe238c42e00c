import { emptyAnswer, textAnswer, type Answer } from "../http/answer.ts";
import type { Exchange } from "../http/exchange.ts";
import { segmentBytes, type Rendition, type Vod } from "../catalog/vod.ts";
import type { World } from "../world.ts";
import {
  extensionOf,
  originalPlaylistName,
  placesInFiles,
  playlistName,
  renderPlaylist,
} from "./media-playlist.ts";
import { noSuchObject } from "./refusals.ts";

/** The parsed parts of a media URL, which may not exist. */
export type MediaTarget = {
  readonly vod: Vod;
  readonly rendition: Rendition;
  readonly file: MediaFile;
};

type MediaFile =
  | { readonly type: "playlist"; readonly name: string }
  | { readonly type: "init"; readonly range: number }
  | { readonly type: "segment"; readonly index: number; readonly suffix: string }
  | { readonly type: "old-file"; readonly file: number };

const mediaRe = /^\/media\/([\w-]+)\/([\w-]+)\/([\w.-]+)$/;

export function readMediaTarget(world: World, url: URL): MediaTarget | null {
  const [, folder = "", group = "", name = ""] = mediaRe.exec(url.pathname) ?? [];
  const vod = world.vods.byFolder(folder);
  const rendition = vod?.renditions.find((candidate) => candidate.groupId === group);
  if (vod === null || rendition === undefined) return null;
  const file = readFileName(vod, rendition, name);
  return file === null ? null : { vod, rendition, file };
}

function readFileName(vod: Vod, rendition: Rendition, name: string): MediaFile | null {
  if (name.endsWith(".m3u8")) return { type: "playlist", name };
  const init = /^init-(\d{1,4})\.mp4$/.exec(name);
  if (init !== null) return { type: "init", range: Number(init[1]) };
  const old = /^index-(\d{10})-JTvg\.(?:ts|mp4)$/.exec(name);
  if (old !== null) return { type: "old-file", file: Number(old[1]) };
  const segment = /^(\d{1,6})(-muted|-unmuted)?\.(ts|mp4)$/.exec(name);
  if (segment === null || segment[3] !== extensionOf(rendition)) return null;
  const index = Number(segment[1]) - vod.firstSegmentNumber;
  return { type: "segment", index, suffix: segment[2] ?? "" };
}

/** The segment of a media request; in a shared file, it is found by its offset. */
export function segmentIndexOf(target: MediaTarget, url: URL, range: string | null): number | null {
  const { vod, rendition, file } = target;
  if (vod.playlistForm === "files") return file.type === "segment" ? file.index : null;
  const start =
    file.type === "old-file"
      ? url.searchParams.get("start_offset")
      : /^bytes=(\d+)-/.exec(range ?? "")?.[1];
  if (start === null || start === undefined) return null;
  const inFile = file.type === "old-file" ? file.file : 0;
  const index = placesInFiles(vod, rendition).findIndex(
    (place) => place.file === inFile && Number(start) < place.fromByte + place.sizeBytes,
  );
  return index < 0 ? null : index;
}

/**
 * Answers as the CDN: no token needed, 403 for anything missing (docs/twitch.md#restricted-and-gone
 * and #cdn).
 */
export function answerMedia(world: World, exchange: Exchange): Answer {
  const { target } = exchange;
  if (exchange.method !== "GET" && exchange.method !== "HEAD")
    return emptyAnswer(405, { allow: "GET, HEAD" });
  if (target === null) return noSuchObject();
  const { vod, rendition, file } = target;
  const isGone = vod.claims.cdn.isMissing === true || vod.removedRenditions.has(rendition.groupId);
  if (isGone) return noSuchObject();
  if (file.type === "playlist") {
    const isMutedName = file.name === playlistName(vod) && vod.muted.size > 0;
    if (!isMutedName && file.name !== originalPlaylistName(vod)) return noSuchObject();
    const playlist = renderPlaylist(vod, rendition, isMutedName);
    return textAnswer(200, "application/octet-stream", playlist, {
      "cache-control": "max-age=10",
      "access-control-allow-origin": "*",
    });
  }
  const body = bytesOf(world, exchange, target);
  return body === null ? noSuchObject() : mediaAnswer(exchange, target, body);
}

function bytesOf(world: World, exchange: Exchange, target: MediaTarget): Uint8Array | null {
  const { vod, rendition, file } = target;
  switch (file.type) {
    case "init":
      return rendition.track.init(file.range);
    case "old-file":
      return vod.playlistForm === "start-offset"
        ? oldFile(vod, rendition, file.file, exchange.url)
        : null;
    case "segment":
      if (vod.playlistForm === "byte-range") return sharedFile(vod, rendition, file.index);
      return vod.playlistForm === "files" ? oneSegment(world, vod, rendition, file) : null;
    default:
      return null;
  }
}

function oneSegment(
  world: World,
  vod: Vod,
  rendition: Rendition,
  file: { readonly index: number; readonly suffix: string },
): Uint8Array | null {
  const isListed = file.index >= 0 && file.index < vod.segmentCount;
  const suffix = vod.muted.has(file.index) ? "-muted" : "";
  if (!isListed || vod.gaps.has(file.index) || file.suffix !== suffix) return null;
  if (vod.vanishAfterSegments !== null) {
    if (vod.servedSegments.size >= vod.vanishAfterSegments && !vod.servedSegments.has(file.index)) {
      world.vods.delete(vod.id);
      return null;
    }
    vod.servedSegments.add(file.index);
  }
  return segmentBytes(vod, rendition, file.index);
}

function sharedFile(vod: Vod, rendition: Rendition, file: number): Uint8Array | null {
  const parts = placesInFiles(vod, rendition).flatMap((place, index) =>
    place.file === file ? [segmentBytes(vod, rendition, index)] : [],
  );
  return parts.length === 0 ? null : Buffer.concat(parts);
}

function oldFile(vod: Vod, rendition: Rendition, file: number, url: URL): Uint8Array | null {
  const whole = sharedFile(vod, rendition, file);
  if (whole === null) return null;
  const start = Number(url.searchParams.get("start_offset") ?? 0);
  const end = Number(url.searchParams.get("end_offset") ?? whole.byteLength - 1);
  return whole.subarray(start, end + 1);
}

/** Like CloudFront in front of S3: entity tag, no checksum, single ranges. */
function mediaAnswer(exchange: Exchange, target: MediaTarget, body: Uint8Array): Answer {
  const { vod, rendition } = target;
  const sizeBytes = body.byteLength;
  const headers: Record<string, string> = {
    "content-type": rendition.track.container === "ts" ? "video/mp2t" : "video/mp4",
    "accept-ranges": "bytes",
    "cache-control": "max-age=300",
    etag: `"${vod.id}-${rendition.groupId}-${sizeBytes}"`,
    "last-modified": new Date(vod.createdAt).toUTCString(),
    "access-control-allow-origin": "*",
  };
  const pace =
    vod.paceBytesPerSecond === null
      ? {}
      : { pace: { key: vod.id, bytesPerSecond: vod.paceBytesPerSecond } };
  const range = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(exchange.headers.get("range") ?? "");
  if (range === null) return { status: 200, headers, body, ...pace };
  const start = Number(range[1]);
  const end = range[2] === "" ? sizeBytes - 1 : Math.min(Number(range[2]), sizeBytes - 1);
  if (start > end) return emptyAnswer(416, { "content-range": `bytes */${sizeBytes}` });
  return {
    status: 206,
    headers: { ...headers, "content-range": `bytes ${start}-${end}/${sizeBytes}` },
    body: body.subarray(start, end + 1),
    ...pace,
  };
}
