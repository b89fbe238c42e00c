import {
  initRangeOf,
  isLiveFor,
  placeInRanges,
  segmentBytes,
  statedDurationSec,
  type Rendition,
  type Vod,
} from "../catalog/vod.ts";

/** Media playlists and the names in them (docs/twitch.md#media-playlists and #muted-segments). */

export function extensionOf(rendition: Rendition): "ts" | "mp4" {
  return rendition.track.container === "ts" ? "ts" : "mp4";
}

/** The playlist that usher refers to: the muted one once a segment is muted. */
export function playlistName(vod: Vod): string {
  const base = vod.type === "highlight" ? `highlight-${vod.id}` : "index";
  if (vod.muted.size > 0) return `${base}-muted-${muteSlug(vod)}.m3u8`;
  return vod.type === "highlight" ? `${base}.m3u8` : "index-dvr.m3u8";
}

/** The name before segments were muted; still served, with segments that return 403. */
export function originalPlaylistName(vod: Vod): string {
  return vod.type === "highlight" ? `highlight-${vod.id}.m3u8` : "index-dvr.m3u8";
}

/** Ten characters of A-Z and 0-9; each round of muting gives another name. */
function muteSlug(vod: Vod): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  let state = Number(vod.id) + vod.muteRound * 7_919;
  return Array.from({ length: 10 }, () => {
    state = (state * 48_271 + 11) % 2_147_483_647;
    return letters.charAt(state % letters.length);
  }).join("");
}

export function renderPlaylist(vod: Vod, rendition: Rendition, isMutedName: boolean): string {
  const isMp4 = rendition.track.container === "fmp4";
  const lines = [
    "#EXTM3U",
    `#EXT-X-VERSION:${isMp4 ? 6 : vod.playlistForm === "byte-range" ? 4 : 3}`,
    `#EXT-X-TARGETDURATION:${Math.ceil(vod.segmentDurationSec)}`,
    `#ID3-EQUIV-TDTG:${new Date(vod.createdAt).toISOString().slice(0, 19)}`,
    "#EXT-X-PLAYLIST-TYPE:EVENT",
    "#EXT-X-MEDIA-SEQUENCE:0",
    "#EXT-X-TWITCH-ELAPSED-SECS:0.000",
    `#EXT-X-TWITCH-TOTAL-SECS:${statedDurationSec(vod, "cdn").toFixed(3)}`,
  ];
  const places = vod.playlistForm === "files" ? [] : placesInFiles(vod, rendition);
  let mappedRange = -1;
  let lastRange = 0;
  const listed = Math.min(vod.segmentCount, vod.claims.cdn.listedSegments ?? Infinity);
  for (let index = 0; index < listed; index += 1) {
    const { range } = placeInRanges(vod, index);
    if (range !== lastRange) {
      lines.push("#EXT-X-DISCONTINUITY");
      lastRange = range;
    }
    if (isMp4 && initRangeOf(vod, range) !== mappedRange) {
      mappedRange = initRangeOf(vod, range);
      lines.push(`#EXT-X-MAP:URI="init-${mappedRange}.mp4"`);
    }
    lines.push(`#EXTINF:${vod.segmentDurationSec.toFixed(3)},`);
    lines.push(...segmentLines(vod, rendition, index, isMutedName, places[index]));
  }
  // A playlist has ENDLIST as soon as the broadcast ends, although its tail is missing
  // (docs/twitch.md#growing-vods).
  if (!isLiveFor(vod, "cdn")) lines.push("#EXT-X-ENDLIST");
  return `${lines.join("\n")}\n`;
}

function segmentLines(
  vod: Vod,
  rendition: Rendition,
  index: number,
  isMutedName: boolean,
  place: PlaceInFile | undefined,
): string[] {
  const extension = extensionOf(rendition);
  if (place !== undefined && vod.playlistForm === "byte-range")
    return [`#EXT-X-BYTERANGE:${place.sizeBytes}@${place.fromByte}`, `0.${extension}`];
  if (place !== undefined) {
    const end = place.fromByte + place.sizeBytes - 1;
    const file = oldFileName(place.file, extension);
    return [`${file}?start_offset=${place.fromByte}&end_offset=${end}`];
  }
  const number = vod.firstSegmentNumber + index;
  const suffix = vod.muted.has(index) ? (isMutedName ? "-muted" : "-unmuted") : "";
  return [`${number}${suffix}.${extension}`];
}

/** Around 2015 several segments shared a file, named with a number and four letters. */
const SEGMENTS_PER_OLD_FILE = 4;

function oldFileName(file: number, extension: string): string {
  return `index-${String(file).padStart(10, "0")}-JTvg.${extension}`;
}

type PlaceInFile = { readonly file: number; readonly fromByte: number; readonly sizeBytes: number };

/** The position of each segment in shared files: one file for all, or a few per file as in 2015. */
export function placesInFiles(vod: Vod, rendition: Rendition): PlaceInFile[] {
  const perFile = vod.playlistForm === "byte-range" ? vod.segmentCount : SEGMENTS_PER_OLD_FILE;
  const places: PlaceInFile[] = [];
  let fromByte = 0;
  for (let index = 0; index < vod.segmentCount; index += 1) {
    fromByte = index % perFile === 0 ? 0 : fromByte;
    const sizeBytes = segmentBytes(vod, rendition, index).byteLength;
    places.push({ file: Math.floor(index / perFile), fromByte, sizeBytes });
    fromByte += sizeBytes;
  }
  return places;
}
