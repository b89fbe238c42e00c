import { foreignWords } from "#service/secrets/foreign-words.ts";
import { StoreError, type StoreErrorKind } from "#service/ports/object-store.ts";

/**
 * R2's error codes (developers.cloudflare.com/r2/api/error-codes). Bindings append them to the
 * message: "completeMultipart: … (10048)".
 */
const KINDS: Readonly<Record<number, StoreErrorKind>> = {
  10_002: "denied",
  10_003: "denied",
  10_006: "denied", // the bucket does not exist
  10_011: "bad_part", // a part under 5 MiB that is not the last
  10_024: "no_such_upload",
  10_025: "bad_part", // a part that was replaced or never sent
  10_048: "bad_part", // parts of unequal size
};

/** Runs one call to R2; an unknown error says nothing about the object. @throws {StoreError} */
export async function callR2<T>(doing: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    const code = errorCode(text);
    throw new StoreError(KINDS[code ?? 0] ?? "unavailable", `${doing}: ${foreignWords(text)}`, {
      cause: error,
    });
  }
}

function errorCode(message: string): number | null {
  const found = /\((\d{5})\)$/.exec(message);
  return found === null ? null : Number(found[1]);
}
