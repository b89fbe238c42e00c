import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";

/** The bytes are not those that were backed up. The message is a sentence. */
export class DamagedBackupError extends Error {
  override readonly name = "DamagedBackupError";
}

/**
 * Writes the database of a backup to the file `to`, durably. `sha256` is that of `body`, null if it
 * is unknown.
 *
 * @throws {DamagedBackupError}
 * @throws errors of `body` and of the disk as they are
 */
export async function unpackBackup(
  body: AsyncIterable<Uint8Array>,
  to: string,
  { isCompressed, sha256 }: { readonly isCompressed: boolean; readonly sha256: string | null },
): Promise<void> {
  const hash = createHash("sha256");
  async function* hashed(source: AsyncIterable<Uint8Array>) {
    for await (const piece of source) {
      hash.update(piece);
      yield piece;
    }
  }
  const target = createWriteStream(to, { flush: true });
  try {
    if (isCompressed) await pipeline(body, hashed, createGunzip(), target);
    else await pipeline(body, hashed, target);
  } catch (error) {
    if (!isOfZlib(error)) throw error;
    throw new DamagedBackupError(`It cannot be unpacked: ${error.message}.`, { cause: error });
  }
  if (sha256 !== null && hash.digest("hex") !== sha256)
    throw new DamagedBackupError("Its SHA-256 differs.");
}

function isOfZlib(error: unknown): error is Error {
  return error instanceof Error && "code" in error && String(error.code).startsWith("Z_");
}
