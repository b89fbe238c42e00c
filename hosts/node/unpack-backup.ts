import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { SettingsError } from "#service/settings.ts";

/** Databases are compressed to a fifth, nearly empty ones to a thirtieth. */
const LARGEST_RATIO = 100;
const SMALLEST_LIMIT_BYTES = 64 * 1024 * 1024;

/** The bytes are not those that were backed up. The message is a sentence. */
export class DamagedBackupError extends Error {
  override readonly name = "DamagedBackupError";
}

/**
 * Writes the database of a backup to the file `to`, durably. `sizeBytes` and `sha256` are those
 * of `body`; the digest is null if it is unknown.
 *
 * @throws {DamagedBackupError} also for more bytes than a database of that size has
 * @throws {SettingsError} if the disk has no room for them
 * @throws errors of `body` and of the disk as they are
 */
export async function unpackBackup(
  body: AsyncIterable<Uint8Array>,
  to: string,
  {
    isCompressed,
    sizeBytes,
    sha256,
  }: {
    readonly isCompressed: boolean;
    readonly sizeBytes: number;
    readonly sha256: string | null;
  },
): Promise<void> {
  const hash = createHash("sha256");
  const { bavail, bsize } = await statfs(dirname(to));
  const limitBytes = Math.max(SMALLEST_LIMIT_BYTES, sizeBytes * LARGEST_RATIO);
  async function* limited(source: AsyncIterable<Uint8Array>) {
    let writtenBytes = 0;
    for await (const piece of source) {
      writtenBytes += piece.byteLength;
      if (writtenBytes > limitBytes)
        throw new DamagedBackupError(`It unpacks to more than ${limitBytes} bytes.`);
      if (writtenBytes > bavail * bsize)
        throw new SettingsError(`The disk of ${dirname(to)} has no room for the backup.`, {
          cause: writtenBytes,
        });
      yield piece;
    }
  }
  async function* hashed(source: AsyncIterable<Uint8Array>) {
    let readBytes = 0;
    for await (const piece of source) {
      readBytes += piece.byteLength;
      if (isCompressed && readBytes > sizeBytes)
        throw new DamagedBackupError(`It is longer than the ${sizeBytes} bytes that it had.`);
      hash.update(piece);
      yield piece;
    }
  }
  const target = createWriteStream(to, { flush: true });
  try {
    if (isCompressed) await pipeline(body, hashed, createGunzip(), limited, target);
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
