import { createHash } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import type { StoredBytes } from "#console/mp4/remux.ts";
import type { StoredFile } from "#contract/files.ts";
import { CommandError, EXIT_CODES } from "#program/exit-codes.ts";
import { RECONNECT_AFTER_MS, unreachable, type Connection } from "./call.ts";
import { isProved, partEnd, type Proof } from "./proof.ts";
import { bytesFrom, SentOtherBytes } from "./stored-copy.ts";

/** Read at a time of a file without digests. */
const UNPROVED_BYTES = 8 * 2 ** 20;

/** Pictures and sound are read beside each other, seldom more than a part apart. */
const KEPT_PARTS = 3;

/** A stored file, read in whole parts, each of which is compared with its digest. */
export function provedBytes(
  connection: Connection,
  file: StoredFile,
  read: Proof,
  onBytes: (loadedBytes: number) => void,
): StoredBytes {
  const proof = isProved(read) ? read : { ...read, partSizeBytes: UNPROVED_BYTES, partSha256: [] };
  const parts = new Map<number, Promise<Uint8Array>>();
  let loadedBytes = 0;

  async function load(part: number): Promise<Uint8Array> {
    const [from, to] = [part * proof.partSizeBytes, partEnd(proof, part)];
    const expected = proof.partSha256[part];
    let wrong = 0;
    for (let failures = 0; ; failures += 1) {
      let broken: unknown = new Error("it ended the file early");
      try {
        const bytes = Buffer.concat(await Array.fromAsync(bytesFrom(connection, file, from, to)));
        const digest = createHash("sha256").update(bytes).digest("hex");
        const isRight = expected === undefined || expected === digest;
        if (bytes.length === to - from && isRight) {
          loadedBytes += bytes.length;
          onBytes(loadedBytes);
          return bytes;
        }
        if (bytes.length === to - from) wrong += 1;
      } catch (error) {
        if (error instanceof CommandError) throw error;
        broken = error;
      }
      if (wrong === 2)
        throw new SentOtherBytes(
          EXIT_CODES.mismatch,
          `Part ${part + 1} of ${file.key} came twice with other bytes than those that were proved.`,
        );
      const waitMs = RECONNECT_AFTER_MS[failures];
      if (waitMs === undefined) throw unreachable(connection, broken);
      await pause(waitMs);
    }
  }

  function partAt(part: number): Promise<Uint8Array> {
    const found = parts.get(part) ?? load(part);
    // The one that was asked for last is kept longest.
    parts.delete(part);
    parts.set(part, found);
    const [oldest] = parts.keys();
    if (parts.size > KEPT_PARTS && oldest !== undefined) parts.delete(oldest);
    return found;
  }

  return {
    getSize: () => proof.sizeBytes,
    // Packets of MPEG-TS are read one by one.
    prefetchProfile: "fileSystem",
    async read(start, end) {
      const bytes = new Uint8Array(end - start);
      for (let at = start; at < end;) {
        const part = Math.floor(at / proof.partSizeBytes);
        const from = part * proof.partSizeBytes;
        const piece = (await partAt(part)).subarray(at - from, end - from);
        bytes.set(piece, at - start);
        at += piece.length;
      }
      return bytes;
    },
  };
}
