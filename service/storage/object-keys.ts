import { objectKeySchema, type ObjectKey } from "#contract/files.ts";
import { normalized } from "#service/hidden-characters.ts";

/** The formats of archives: MPEG-TS, fragmented MP4, and whole files as a source has them. */
export const CONTAINERS = ["ts", "fmp4", "mp4", "mov", "webm", "mkv"] as const;
export type Container = (typeof CONTAINERS)[number];

/** Only ids, so that no name of a person or a stream ends up in a key. */
export type ArchiveIdentity = {
  readonly ownerId: string;
  readonly vodId: string;
  readonly uploadId: string;
};

const FORMATS: Readonly<Record<Container, { extension: string; contentType: string }>> = {
  ts: { extension: ".ts", contentType: "video/mp2t" },
  fmp4: { extension: ".mp4", contentType: "video/mp4" },
  mp4: { extension: ".mp4", contentType: "video/mp4" },
  mov: { extension: ".mov", contentType: "video/quicktime" },
  webm: { extension: ".webm", contentType: "video/webm" },
  mkv: { extension: ".mkv", contentType: "video/x-matroska" },
};

/** Every object that an archive may leave in the store. */
export type ArchiveKeys = {
  readonly object: ObjectKey;
  readonly playlist: ObjectKey;
  readonly manifest: ObjectKey;
  readonly chat: ObjectKey;
  readonly thumbnail: ObjectKey;
  readonly storyboard: ObjectKey;
};

export function archiveKeys(identity: ArchiveIdentity, container: Container): ArchiveKeys {
  const stem = archiveStem(identity);
  return {
    object: objectKeySchema.parse(`${stem}${FORMATS[container].extension}`),
    ...sidecars(stem),
  };
}

/** Objects beside an archived object that are deleted with it. */
export function sidecarKeys(objectKey: string): readonly ObjectKey[] {
  return Object.values(sidecars(objectKey.replace(/\.[a-z0-9]+$/, "")));
}

/** The file name that people see. */
export function archiveFilename(fileStem: string, container: Container): string {
  return `${fileStem}${FORMATS[container].extension}`;
}

export function contentType(container: Container): string {
  return FORMATS[container].contentType;
}

function sidecars(stem: string): Omit<ArchiveKeys, "object"> {
  return {
    playlist: objectKeySchema.parse(`${stem}.m3u8`),
    manifest: objectKeySchema.parse(`${stem}.manifest.json`),
    chat: objectKeySchema.parse(`${stem}.chat.json`),
    ...pictures(stem),
  };
}

export type PictureKeys = Pick<ArchiveKeys, "thumbnail" | "storyboard">;

/** Keys of the pictures of an archive, or of a manual upload, which has no VOD id. */
export function pictureKeys(upload: ManualIdentity & { readonly vodId: string | null }) {
  const { vodId } = upload;
  return pictures(vodId === null ? manualStem(upload) : archiveStem({ ...upload, vodId }));
}

/** The thumbnail's key does not tell its type, which its first bytes do. */
function pictures(stem: string): PictureKeys {
  return {
    thumbnail: objectKeySchema.parse(`${stem}.thumbnail`),
    storyboard: objectKeySchema.parse(`${stem}.storyboard.json`),
  };
}

function archiveStem({ ownerId, vodId, uploadId }: ArchiveIdentity): string {
  return `vods/${ownerId}/${vodId}/${uploadId}`;
}

export type ManualIdentity = { readonly ownerId: string; readonly uploadId: string };

/** Long enough to recognise a file, short enough for every store's key limit. */
const MAX_NAME_LENGTH = 100;

/** The only key that contains user input, of which only a short, safe form is kept. */
export function manualObjectKey(identity: ManualIdentity, filename: string): ObjectKey {
  return objectKeySchema.parse(`${manualStem(identity)}/${safeName(filename)}`);
}

/** Objects beside a manual upload's object that are deleted with it. */
export function manualSidecarKeys(identity: ManualIdentity): readonly ObjectKey[] {
  return [manualManifestKey(identity), pictures(manualStem(identity)).thumbnail];
}

/** Outside the object's folder, so that no file name can collide with it. */
export function manualManifestKey(identity: ManualIdentity): ObjectKey {
  return objectKeySchema.parse(`${manualStem(identity)}.manifest.json`);
}

/** Key of bytes that do not fill a part yet. `nonce` makes it unique to one request. */
export function incompletePartKey(
  uploadId: string,
  piece: { readonly startOffset: number; readonly sha256: string },
  nonce: number,
): ObjectKey {
  const { startOffset, sha256 } = piece;
  return objectKeySchema.parse(
    `${INCOMPLETE_PART_PREFIX}${uploadId}/${startOffset}-${sha256}-${nonce}`,
  );
}

/** The SHA-256 of a piece, from its key. */
export function digestInKey(key: ObjectKey): string | undefined {
  return /-([0-9a-f]{64})-\d+$/.exec(key)?.[1];
}

/** Not among the objects that the File Browser lists. */
export const INCOMPLETE_PART_PREFIX = "tails/";

/** Pieces of chat replays that are being read; not among the objects that the File Browser lists. */
export const CHAT_PIECE_PREFIX = "chat-pieces/";

function manualStem({ ownerId, uploadId }: ManualIdentity): string {
  return `manual/${ownerId}/${uploadId}`;
}

/** Letters, digits, `_`, `.` and `-`; never empty, hidden, `.` or `..`. */
function safeName(filename: string): string {
  const ending = /\.[A-Za-z0-9]{1,8}$/.exec(filename)?.[0] ?? "";
  const base = normalized(filename.slice(0, filename.length - ending.length), "NFKD")
    .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
    .replaceAll(/^-+|(?<!-)-+$/g, "")
    .slice(0, MAX_NAME_LENGTH - ending.length);
  return (base === "" ? "file" : base) + ending;
}
