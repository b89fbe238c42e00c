import { randomUUID } from "node:crypto";
import { createWriteStream, existsSync } from "node:fs";
import { rename, writeFile, mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { getFile, type ObjectKey, type StoredFile } from "#contract/files.ts";
import { getThumbnail, PICTURE_TYPES } from "#contract/pictures.ts";
import { getUpload } from "#contract/uploads.ts";
import {
  beginOf,
  channelFolder,
  distinctionOf,
  distinctPath,
  extensionOf,
  foldPath,
  type LibraryChannel,
  type LibraryVideo,
  pictureEnding,
  type PictureName,
} from "#service/library/library-path.ts";
import { episodeNfo, showNfo } from "#service/library/nfo.ts";
import { readPoster } from "#service/library/poster.ts";
import { readSettings } from "#service/settings.ts";
import type { Picture } from "#service/source/fetch-picture.ts";
import { pictureTypeOf } from "#service/source/picture-type.ts";
import { itemIdOf } from "#service/storage/item-id.ts";
import { call, refusal, send, type Connection } from "./call.ts";
import type { MirrorIndex } from "./mirror-index.ts";
import { ownAddress, withFileErrors } from "./stored-copy.ts";
import { tryEach } from "./try-each.ts";

/*
 * A mirror that media servers read: the names of the library folder, from the same code, and beside each
 * video its NFO, thumbnail, chat, and what other archivers read (.info.json).
 */

/** Sidecars come within this time; chats of long broadcasts have tens of megabytes. */
const TIMEOUT_MS = 300_000;

/**
 * The dated VODs among `files`; others have no names in this layout. Adds their places to `paths`: where
 * the service's own library has them, or else in the order in which that would name them.
 */
export async function planVideos(
  connection: Connection,
  files: readonly StoredFile[],
  paths: Map<ObjectKey, string>,
  index: MirrorIndex,
): Promise<ReadonlyMap<ObjectKey, LibraryVideo>> {
  const videos = new Map<ObjectKey, LibraryVideo>();
  const inOrder = files.toSorted((one, other) =>
    (one.recordedAt ?? "").localeCompare(other.recordedAt ?? ""),
  );
  async function read(file: StoredFile) {
    const video = await readVideo(connection, file);
    if (video === null) return;
    videos.set(file.key, video);
    if (paths.has(file.key)) return;
    const { libraryPath } = await call(connection, getFile, { params: { key: file.key } });
    if (libraryPath !== undefined && !index.isTaken(libraryPath, file.key))
      paths.set(file.key, libraryPath);
  }
  const { failure } = await tryEach(inOrder, read, undefined, () => true);
  if (failure !== null) throw failure;
  for (const { key } of inOrder) {
    const video = videos.get(key);
    if (video !== undefined && !paths.has(key)) paths.set(key, mediaPath(video, paths));
  }
  return videos;
}

async function readVideo(connection: Connection, file: StoredFile): Promise<LibraryVideo | null> {
  const { uploadId, vodId, recordedAt, uploadType, part } = file;
  if (uploadType !== "twitch" || uploadId === null || vodId === null || recordedAt === null)
    return null;
  const { owner, metadata } = await call(connection, getUpload, {
    params: { id: uploadId },
  });
  if (owner === null) return null;
  const itemId = itemIdOf(vodId, part);
  return {
    key: file.key,
    itemId,
    title: file.title ?? itemId,
    recordedAt: beginOf(recordedAt, part),
    durationSec: file.durationSec,
    channel: { ...owner, id: owner.twitchId, login: owner.username },
    chapters: file.chapters,
    isMuted: metadata.mutedRanges.length > 0,
  };
}

/** `taken`: the paths of stored files by key. A channel keeps the folder of its first file. */
function mediaPath(video: LibraryVideo, taken: ReadonlyMap<ObjectKey, string>): string {
  const others = [...taken].map(([key, path]) => ({
    folder: path.slice(0, path.indexOf("/")),
    path,
    isOwn: key.startsWith(`vods/${video.channel.id}/`) && /\/Season \d+\//.test(path),
  }));
  const own = channelFolder(video.channel, false);
  const isTaken = others.some(({ folder, isOwn }) => !isOwn && foldPath(folder) === foldPath(own));
  const folder = others.find(({ isOwn }) => isOwn)?.folder ?? channelFolder(video.channel, isTaken);
  const paths = others.filter(({ isOwn }) => isOwn).map(({ path }) => path);
  return `${folder}/${distinctPath(video, paths)}${extensionOf(video.key)}`;
}

/** Writes what lacks beside a video; replaces nothing. */
export async function writeBeside(
  connection: Connection,
  path: string,
  file: StoredFile,
  video: LibraryVideo,
): Promise<void> {
  const stem = path.slice(0, -extensionOf(path).length);
  await Promise.all([
    writeText(join(dirname(dirname(path)), "tvshow.nfo"), showNfo(video.channel)),
    writeText(`${stem}.nfo`, episodeNfo(video, distinctionOf(stem))),
    writeText(`${stem}.info.json`, `${JSON.stringify(infoOf(file, video), null, 2)}\n`),
    file.hasThumbnail ? writeThumbnail(connection, stem, file) : undefined,
    writeChat(connection, `${stem}.chat.json`, file),
  ]);
}

/** With the names that yt-dlp uses. */
function infoOf(file: StoredFile, video: LibraryVideo) {
  const { channel, chapters, durationSec } = video;
  return {
    id: `v${video.itemId}`,
    title: video.title,
    extractor: "twitch:vod",
    webpage_url: `https://www.twitch.tv/videos/${file.vodId}`,
    uploader: channel.displayName,
    uploader_id: channel.login,
    channel_id: channel.id,
    timestamp: Math.floor(Date.parse(video.recordedAt) / 1_000),
    duration: durationSec,
    chapters: chapters.map(({ startSec, title }, index) => ({
      start_time: startSec,
      end_time: chapters[index + 1]?.startSec ?? durationSec,
      title,
    })),
    filesize: file.size,
    vodkeep_key: file.key,
  };
}

/** Writes the pictures of channels that lack one. */
export async function writePosters(
  folder: string,
  videos: ReadonlyMap<ObjectKey, LibraryVideo>,
  paths: ReadonlyMap<ObjectKey, string>,
): Promise<void> {
  const settings = readSettings({ TWITCH_MEDIA_HOSTS: process.env["TWITCH_MEDIA_HOSTS"] });
  const channels = new Map<string, LibraryChannel>();
  for (const { key, channel } of videos.values()) {
    const path = join(folder, dirname(dirname(paths.get(key) ?? "")));
    if (existsSync(join(path, "tvshow.nfo"))) channels.set(path, channel);
  }
  for (const [path, channel] of channels) {
    if (hasPicture(path, "/poster")) continue;
    const picture = await readPoster(fetch, settings, channel);
    if (picture !== null) await writePicture(path, "/poster", picture);
  }
}

async function writeThumbnail(connection: Connection, stem: string, file: StoredFile) {
  if (hasPicture(stem, "-thumb") || file.uploadId === null) return;
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await send(connection, getThumbnail, { params: { id: file.uploadId } }, signal);
  if (!response.ok) throw refusal(connection, response, await response.text());
  const bytes = new Uint8Array(await response.arrayBuffer());
  const type = pictureTypeOf(bytes);
  if (type !== null) await writePicture(stem, "-thumb", { type, bytes });
}

function hasPicture(stem: string, name: PictureName): boolean {
  return PICTURE_TYPES.some((type) => existsSync(stem + pictureEnding(name, type)));
}

async function writePicture(stem: string, name: PictureName, { type, bytes }: Picture) {
  await writeNew(stem + pictureEnding(name, type), (part) => writeFile(part, bytes));
}

async function writeChat(connection: Connection, path: string, file: StoredFile) {
  const isStored = file.chatState.state === "complete" || file.chatState.state === "partial";
  if (existsSync(path) || !isStored) return;
  const { chat } = await call(connection, getFile, { params: { key: file.key } });
  if (chat === undefined) return;
  const response = await fetch(ownAddress(connection, chat.downloadUrl), {
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const { body } = response;
  if (!response.ok || body === null) throw refusal(connection, response, await response.text());
  await writeNew(path, (part) => pipeline(Readable.fromWeb(body), createWriteStream(part)));
}

const writeText = (path: string, text: string) => writeNew(path, (part) => writeFile(part, text));

/** The name appears with all of its bytes. */
async function writeNew(path: string, write: (part: string) => Promise<void>): Promise<void> {
  if (existsSync(path)) return;
  // Several videos of a channel have one tvshow.nfo.
  const part = `${path}.${randomUUID().slice(0, 8)}.part`;
  await withFileErrors(path, async () => {
    await mkdir(dirname(path), { recursive: true });
    await write(part);
    await rename(part, path);
  });
}
