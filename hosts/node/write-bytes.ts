import { hash } from "node:crypto";
import { writeSync } from "node:fs";

/** `digest` is the SHA-256 of `content` where it is known already. */
export type FileWrite = {
  readonly fd: number;
  readonly offset: number;
  readonly content: Uint8Array;
  readonly digest: string | null;
};

/**
 * Makes the system build its file cache from small pages: large writes take huge ones, which cost up
 * to ten times as much in a virtual machine whose host takes unused memory back (measured: decision
 * record 0019).
 */
const PIECE_BYTES = 64 * 1024;

/** Writes the content and answers with its SHA-256. Blocks meanwhile; does not sync. */
export function writeBytes({ fd, offset, content, digest }: FileWrite): string {
  for (let done = 0; done < content.byteLength;) {
    const piece = Math.min(PIECE_BYTES, content.byteLength - done);
    // One system call may take fewer bytes than it was given.
    done += writeSync(fd, content, done, piece, offset + done);
  }
  return digest ?? hash("sha256", content);
}
