import { constants } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { StreamTargetChunk } from "mediabunny";
import { Mp4Error } from "#console/mp4/mp4-error.ts";
import { piecesOf } from "#console/mp4/mp4-pieces.ts";
import { remux, type StoredBytes } from "#console/mp4/remux.ts";
import type { StoredFile } from "#contract/files.ts";
import type { TimeRange } from "#contract/upload.ts";
import { ignoreUnsupported } from "#hosts/node/sync-folder.ts";
import { CommandError, EXIT_CODES } from "#program/exit-codes.ts";
import { refusal, type Connection } from "./call.ts";
import { lockFile } from "./file-lock.ts";
import { openOwn, ownAddress, withFileErrors } from "./stored-copy.ts";

/**
 * Copies video and sound of a stored file, or of a span of it, into an MP4 file without encoding, with
 * the console's own code.
 * @throws {CommandError} also if one MP4 file cannot hold it
 */
export async function writeMp4(
  connection: Connection,
  { size, playlistUrl }: StoredFile,
  bytes: StoredBytes,
  span: TimeRange,
  to: string,
): Promise<void> {
  const pieces =
    playlistUrl === undefined
      ? [{ range: { offset: 0, length: size }, init: null, startSec: 0 }]
      : piecesOf(await readText(connection, playlistUrl), span);
  const part = `${to}.part`;
  await withFileErrors(part, () => mkdir(dirname(to), { recursive: true }));
  const lock = lockFile(to);
  try {
    await withFileErrors(part, async () => {
      const handle = await openOwn(part, constants.O_TRUNC);
      const target = new WritableStream<StreamTargetChunk>({
        async write({ data, position }) {
          for (let at = 0; at < data.length;)
            at += (await handle.write(data, at, data.length - at, position + at)).bytesWritten;
        },
      });
      try {
        await remux(bytes, pieces, span, target);
        await handle.sync().catch(ignoreUnsupported);
      } catch (error) {
        await rm(part, { force: true });
        throw error;
      } finally {
        await handle.close();
      }
      await rename(part, to);
    });
  } catch (cause) {
    if (!(cause instanceof Mp4Error)) throw cause;
    throw new CommandError(EXIT_CODES.failed, cause.message, { cause });
  } finally {
    lock.release();
  }
}

async function readText(connection: Connection, address: string): Promise<string> {
  const response = await fetch(ownAddress(connection, address));
  const text = await response.text();
  if (!response.ok) throw refusal(connection, response, text);
  return text;
}
