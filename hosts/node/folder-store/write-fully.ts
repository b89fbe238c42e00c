import type { FileHandle } from "node:fs/promises";

/** Writes all bytes at `position`: one system call may write fewer than requested. */
export async function writeFully(
  file: FileHandle,
  bytes: Uint8Array,
  position: number,
): Promise<void> {
  for (let done = 0; done < bytes.byteLength;) {
    const { bytesWritten } = await file.write(
      bytes,
      done,
      bytes.byteLength - done,
      position + done,
    );
    done += bytesWritten;
  }
}
