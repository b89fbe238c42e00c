import type { Chapter, ObjectKey } from "#contract/files.ts";
import type { Part } from "#contract/part.ts";
import type { PictureType } from "#contract/pictures.ts";
import { portableName, shorten } from "#service/portable-name.ts";

/** What the library says of a stored VOD. */
export type LibraryVideo = {
  readonly key: ObjectKey;
  /** Of a VOD, or of a part of one. */
  readonly itemId: string;
  readonly title: string;
  /** When its first picture was broadcast. */
  readonly recordedAt: string;
  readonly durationSec: number | null;
  readonly channel: LibraryChannel;
  readonly chapters: readonly Chapter[];
  /** Twitch muted a part of it. */
  readonly isMuted: boolean;
};

export type LibraryChannel = {
  readonly id: string;
  readonly login: string;
  readonly displayName: string;
  readonly profileImageUrl: string | null;
};

/** Of a name with its ending: the least that file systems allow, among them encrypted shares of a NAS. */
const MAX_NAME_BYTES = 143;

/** `-thumb.webp` and `.chat.json` are the longest. */
const MAX_ENDING_BYTES = 11;

const MAX_FOLDER_BYTES = 100;

/**
 * What media servers look for in names, broken by a comma: Kodi lists a file with `S01E05` in its title
 * as that episode, too, none whose name has `sample` or `-trailer`, and reads `%2F` as a slash. For
 * Jellyfin `1x05-06` names the last of several episodes. The NFO has the title in full.
 */
const READ_BY_SERVERS: readonly (readonly [RegExp, string])[] = [
  [/(s[0-9]+)(?=[[\] ._x-]*e[0-9])/giu, "$1,"],
  [/(?<=[0-9])(?=x[0-9])/giu, ","],
  [/(?<=[!-._ ]sample)(?=[-._ ])/giu, ","],
  [/-(?=trailer)/giu, "-,"],
  [/%(?=[0-9a-f]{2})/giu, "%,"],
];

/** The folder of a channel. Another channel of the same name needs a distinction. */
export function channelFolder(
  { id, login, displayName }: LibraryChannel,
  isTaken: boolean,
): string {
  const shown = displayName.trim() === "" ? login : displayName;
  const name = shorten(shown, MAX_FOLDER_BYTES, (text) => breakNames(portableName(text)));
  return isTaken ? `${name} (${id})` : name;
}

/**
 * Names of a VOD: by the minute in which the broadcast began; by its second for another one of the same
 * minute; and for another file of the same VOD with a part of its key.
 */
export const DISTINCTIONS = ["minute", "second", "key"] as const;
export type Distinction = (typeof DISTINCTIONS)[number];

/** When a part was broadcast: parts of one VOD are episodes of their own. */
export function beginOf(recordedAt: string, part: Part | null): string {
  return new Date(Date.parse(recordedAt) + (part?.startSec ?? 0) * 1_000).toISOString();
}

/** Season and episode are the year and the time, in UTC, so that no other VOD ever changes them. */
export function episodeOf(recordedAt: string, by: Distinction): { season: number; tag: string } {
  const [year = "", ...rest] = new Date(recordedAt).toISOString().split(/\D/);
  return { season: Number(year), tag: rest.slice(0, by === "minute" ? 4 : 5).join("") };
}

/** The path of a VOD's files in its channel's folder, without their endings. */
export function episodePath(video: LibraryVideo, by: Distinction): string {
  const { season, tag } = episodeOf(video.recordedAt, by);
  const mark = by === "key" ? ` (${keyMark(video.key)})` : "";
  const start = `s${season}.e${tag}`;
  const stem = shorten(video.title, MAX_NAME_BYTES - MAX_ENDING_BYTES, (text) => {
    const title = portableName(text);
    return start + breakNames(` - ${title} [v${video.itemId}]${mark}`);
  });
  return `Season ${season}/${stem}`;
}

/** The first of its names that has no season and episode, or at last no path, of the channel's others. */
export function distinctPath(video: LibraryVideo, others: readonly string[]): string {
  const taken = others.map((path) => foldPath(path.slice(path.indexOf("/") + 1)));
  const names = DISTINCTIONS.map((by) => episodePath(video, by));
  const isFree = (name: string) =>
    !taken.some((other) => other.startsWith(foldPath(name.slice(0, name.indexOf(" - ") + 3))));
  return names.find(isFree) ?? episodePath(video, "key");
}

/** Which of its names a VOD got. */
export function distinctionOf(path: string): Distinction {
  return /\/s\d+\.e\d{10} - /.test(path) ? "second" : "minute";
}

/** Beside a video, and in a channel's folder. */
export type PictureName = "-thumb" | "/poster";

export function pictureEnding(name: PictureName, type: PictureType): string {
  return `${name}.${type.slice("image/".length).replace("jpeg", "jpg")}`;
}

/** Of an object's key, and of its file. */
export function extensionOf(key: string): string {
  return /\.\w+$/.exec(key)?.[0] ?? "";
}

/** The same for all paths that a volume which ignores case may take for one. */
export function foldPath(path: string): string {
  return path.normalize("NFD").toUpperCase().toLowerCase();
}

/** Of the name of an object, which is its upload's id. */
function keyMark(key: string): string {
  return key
    .replace(/^.*\//, "")
    .replace(/\.\w+$/, "")
    .slice(-8);
}

function breakNames(text: string): string {
  return READ_BY_SERVERS.reduce((name, [found, by]) => name.replaceAll(found, by), text);
}
