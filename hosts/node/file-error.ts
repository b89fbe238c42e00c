import { StoreError } from "#service/ports/object-store.ts";

/** The `code` of a failed system call, e.g. "ENOENT"; null for any other error. */
export function fileErrorCode(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string"
    ? error.code
    : null;
}

/** Runs file operations of the folder store and converts their errors to `StoreError`. */
export async function withStoreErrors<T>(doing: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (error instanceof StoreError) throw error;
    const code = fileErrorCode(error);
    throw new StoreError(kindOf(code), FULL[code ?? ""] ?? `${doing}: ${String(error)}`, {
      cause: error,
    });
  }
}

const FULL: Readonly<Record<string, string>> = {
  ENOSPC: "The disk is full.",
  EDQUOT: "The disk quota is used up.",
};

function kindOf(code: string | null): StoreError["kind"] {
  switch (code) {
    case "ENOSPC":
    case "EDQUOT":
      return "full";
    // A key cannot be both an object and the start of another; a name has at most 255 bytes.
    case "EISDIR":
    case "ENOTDIR":
    case "EEXIST":
    case "ENOTEMPTY":
    case "ENAMETOOLONG":
      return "invalid";
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return "denied";
    default:
      return "unavailable";
  }
}
