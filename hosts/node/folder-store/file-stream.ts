import type { FileHandle } from "node:fs/promises";

/** Read size: small enough for a thousand streams, large enough to keep a disk busy. */
const CHUNK_BYTES = 256 * 1024;

/** Streams the bytes from `start` up to `end`. Closes the file at the end, on error or cancel. */
export function streamFile(
  file: FileHandle,
  start: number,
  end: number,
): ReadableStream<Uint8Array> {
  let position = start;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          if (position < end) {
            const chunk = new Uint8Array(Math.min(CHUNK_BYTES, end - position));
            const { bytesRead } = await file.read(chunk, 0, chunk.byteLength, position);
            if (bytesRead === 0) throw new Error("The file became shorter while being read");
            position += bytesRead;
            controller.enqueue(
              bytesRead === chunk.byteLength ? chunk : chunk.subarray(0, bytesRead),
            );
          }
          if (position >= end) {
            await file.close();
            controller.close();
          }
        } catch (error) {
          await file.close().catch(() => undefined);
          controller.error(error);
        }
      },
      async cancel() {
        await file.close();
      },
    },
    { highWaterMark: 0 },
  );
}
