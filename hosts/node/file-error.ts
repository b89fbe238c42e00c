import { StoreError, type StoreErrorKind } from "#service/ports/object-store.ts";
import { foreignWords } from "#service/secrets/foreign-words.ts";

/** The `code` of a failed system call, e.g. "ENOENT"; null for any other error. */
export function fileErrorCode(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : null;
}

/** For an error of `utimes`: mounts that set an owner of their own refuse it. */
export function ignoreFixedTimes(error: unknown): void {
  if (fileErrorCode(error) !== "EPERM") throw error;
}

type Meaning = { readonly kind: StoreErrorKind; readonly sentence?: string };

/** A key cannot be both an object and the start of another. */
const WRONG_KEY: Meaning = { kind: "invalid" };

const REFUSED: Meaning = { kind: "denied" };

/**
 * Meanings of errors of the file system. Any other, such as EIO, ESTALE, EINVAL or EMFILE, means
 * that the store is not available now.
 */
const MEANINGS: Readonly<Record<string, Meaning>> = {
  ENOSPC: { kind: "full", sentence: "The disk is full." },
  EDQUOT: { kind: "full", sentence: "The disk quota is used up." },
  EFBIG: { kind: "invalid", sentence: "This file system cannot hold files of this size." },
  ENAMETOOLONG: { kind: "invalid", sentence: "This file system cannot hold names of this length." },
  ELOOP: { kind: "denied", sentence: "It is a link, which is not followed." },
  EISDIR: WRONG_KEY,
  ENOTDIR: WRONG_KEY,
  EEXIST: WRONG_KEY,
  ENOTEMPTY: WRONG_KEY,
  EACCES: REFUSED,
  EPERM: REFUSED,
  EROFS: REFUSED,
};

/** What an error of the file system means; null where only its code is known. */
export function fileErrorSentence(code: string): string | null {
  return MEANINGS[code]?.sentence ?? null;
}

/** Runs file operations of the folder store and converts their errors to `StoreError`. */
export async function withStoreErrors<T>(doing: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof StoreError) throw cause;
    const { kind, sentence } = MEANINGS[fileErrorCode(cause) ?? ""] ?? { kind: "unavailable" };
    const words = foreignWords(cause instanceof Error ? cause.message : String(cause));
    throw new StoreError(kind, sentence ?? `${doing}: ${words}`, { cause });
  }
}
