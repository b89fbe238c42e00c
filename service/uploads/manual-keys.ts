import { objectKeySchema, type ObjectKey } from "#contract/files.ts";

export type ManualIdentity = { readonly ownerId: string; readonly uploadId: string };

/** Long enough to recognise a file by, short enough for every store's limit on names. */
const MAX_NAME_LENGTH = 100;

/** The only kind of key with a person's words in it, which is why so little of them is kept. */
export function manualObjectKey(identity: ManualIdentity, filename: string): ObjectKey {
  return objectKeySchema.parse(`${stem(identity)}/${safeName(filename)}`);
}

/** Beside the object's folder, so that no file name can be taken for it. */
export function manualManifestKey(identity: ManualIdentity): ObjectKey {
  return objectKeySchema.parse(`${stem(identity)}.manifest.json`);
}

/** What does not fill a part yet. Every request writes under a name of its own (`epoch`). */
export function manualTailKey(
  uploadId: string,
  piece: { readonly startOffset: number; readonly sha256: string },
  epoch: number,
): ObjectKey {
  const { startOffset, sha256 } = piece;
  return objectKeySchema.parse(`${manualTailPrefix(uploadId)}${startOffset}-${sha256}-${epoch}`);
}

/** Of an upload that is not one yet. Requests may send the same bytes twice at a time (`nonce`). */
export function stagedPieceKey(
  stagedId: string,
  piece: { readonly startOffset: number; readonly sha256: string },
  nonce: number,
): ObjectKey {
  return manualTailKey(`staged-${stagedId}`, piece, nonce);
}

/** Null for a piece of an earlier version, whose key does not say what it holds. */
export function digestInTailKey(key: ObjectKey): string | null {
  return /-([0-9a-f]{64})-\d+$/.exec(key)?.[1] ?? null;
}

/** What begins the names of one upload's pieces; nothing but lower-case hex and `-` follows. */
export function manualTailPrefix(uploadId: string): string {
  return `${TAIL_PREFIX}${uploadId}/`;
}

/** Not among the objects that the File Browser lists. */
export const TAIL_PREFIX = "tails/";

function stem({ ownerId, uploadId }: ManualIdentity): string {
  return `manual/${ownerId}/${uploadId}`;
}

/** Letters, digits, `_`, `.` and `-`; never empty, hidden, or one of the two dotted names. */
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
