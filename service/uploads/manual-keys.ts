import { objectKeySchema, type ObjectKey } from "#contract/files.ts";

export type ManualIdentity = { readonly ownerId: string; readonly uploadId: string };

/** Long enough to recognise a file, short enough for every store's key limit. */
const MAX_NAME_LENGTH = 100;

/** The only key that contains user input, of which only a short, safe form is kept. */
export function manualObjectKey(identity: ManualIdentity, filename: string): ObjectKey {
  return objectKeySchema.parse(`${stem(identity)}/${safeName(filename)}`);
}

/** Outside the object's folder, so that no file name can collide with it. */
export function manualManifestKey(identity: ManualIdentity): ObjectKey {
  return objectKeySchema.parse(`${stem(identity)}.manifest.json`);
}

/** Key of bytes that do not fill a part yet. `epoch` makes it unique to one request. */
export function manualTailKey(
  uploadId: string,
  piece: { readonly startOffset: number; readonly sha256: string },
  epoch: number,
): ObjectKey {
  const { startOffset, sha256 } = piece;
  return objectKeySchema.parse(`${manualTailPrefix(uploadId)}${startOffset}-${sha256}-${epoch}`);
}

/** Key of a piece of a staged upload. `nonce` distinguishes concurrent requests. */
export function stagedPieceKey(
  stagedId: string,
  piece: { readonly startOffset: number; readonly sha256: string },
  nonce: number,
): ObjectKey {
  return manualTailKey(`staged-${stagedId}`, piece, nonce);
}

/** Returns null for a piece of an earlier version, whose key contains no digest. */
export function digestInTailKey(key: ObjectKey): string | null {
  return /-([0-9a-f]{64})-\d+$/.exec(key)?.[1] ?? null;
}

/** Prefix of the keys of one upload's pieces; only lower-case hex and `-` follow. */
export function manualTailPrefix(uploadId: string): string {
  return `${TAIL_PREFIX}${uploadId}/`;
}

/** Not among the objects that the File Browser lists. */
export const TAIL_PREFIX = "tails/";

function stem({ ownerId, uploadId }: ManualIdentity): string {
  return `manual/${ownerId}/${uploadId}`;
}

/** Letters, digits, `_`, `.` and `-`; never empty, hidden, `.` or `..`. */
function safeName(filename: string): string {
  const ending = /\.[A-Za-z0-9]{1,8}$/.exec(filename)?.[0] ?? "";
  const base = filename
    .slice(0, filename.length - ending.length)
    .normalize("NFKD")
    .replaceAll(/[^A-Za-z0-9_-]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, MAX_NAME_LENGTH - ending.length);
  return (base === "" ? "file" : base) + ending;
}
