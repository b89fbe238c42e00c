import { constants } from "node:fs";
import { open, rename, rm, type FileHandle } from "node:fs/promises";
import type { StreamTargetChunk } from "mediabunny";
import { Mp4Error } from "#console/mp4/mp4-error.ts";
import { piecesOf } from "#console/mp4/mp4-pieces.ts";
import { remux, type StoredBytes } from "#console/mp4/remux.ts";
import type { StoredFile } from "#contract/files.ts";
import { ignoreUnsupported } from "#hosts/node/sync-folder.ts";
import { CommandError, EXIT_CODES } from "#program/exit-codes.ts";
import { refusal, type Connection } from "./call.ts";
import { openOwn, ownAddress, withFileErrors } from "./stored-copy.ts";

const WHOLE = { startSec: 0, endSec: Infinity };

/**
 * Copies video and sound of a downloaded file into an MP4 file without encoding, with the console's
 * own code, and removes the downloaded file.
 */
export async function convertToMp4(
  connection: Connection,
  { size, playlistUrl }: StoredFile,
  original: string,
  to: string,
): Promise<void> {
  const pieces =
    playlistUrl === undefined
      ? [{ range: { offset: 0, length: size }, init: null, startSec: 0 }]
      : piecesOf(await readText(connection, playlistUrl), WHOLE);
  const part = `${to}.part`;
  await withFileErrors(part, async () => {
    const source = await open(original);
    const handle = await openOwn(part, constants.O_TRUNC);
    const target = new WritableStream<StreamTargetChunk>({
      async write({ data, position }) {
        for (let at = 0; at < data.length;)
          at += (await handle.write(data, at, data.length - at, position + at)).bytesWritten;
      },
    });
    try {
      await remux(bytesOf(source, size), pieces, WHOLE, target);
      await handle.sync().catch(ignoreUnsupported);
    } catch (cause) {
      await rm(part, { force: true });
      if (!(cause instanceof Mp4Error)) throw cause;
      throw new CommandError(EXIT_CODES.failed, `${cause.message} It is at ${original}.`, {
        cause,
      });
    } finally {
      await handle.close();
      await source.close();
    }
    await rename(part, to);
    await rm(original);
  });
}

function bytesOf(file: FileHandle, sizeBytes: number): StoredBytes {
  return {
    getSize: () => sizeBytes,
    prefetchProfile: "fileSystem",
    async read(start, end) {
      const bytes = new Uint8Array(end - start);
      await file.read(bytes, 0, bytes.length, start);
      return bytes;
    },
  };
}

async function readText(connection: Connection, address: string): Promise<string> {
  const response = await fetch(ownAddress(connection, address));
  const text = await response.text();
  if (!response.ok) throw refusal(connection, response, text);
  return text;
}
