import type { ObjectKey } from "#contract/files.ts";
import type { MultipartHandle, ObjectStore, StoredPart } from "#service/ports/object-store.ts";

/** Streams UTF-8 text of unknown length to the store with one part buffered in memory. */
export type StreamedObject = {
  write(text: string | Uint8Array): Promise<void>;
  finish(): Promise<void>;
  /** Aborts the multipart upload, if any. */
  abandon(): Promise<void>;
};

const PART_BYTES = 8 * 1024 * 1024;

export function createStreamedObject(
  objects: ObjectStore,
  key: ObjectKey,
  contentType: string,
): StreamedObject {
  const encoder = new TextEncoder();
  const buffer = new Uint8Array(PART_BYTES);
  const parts: StoredPart[] = [];
  let filled = 0;
  let handle: MultipartHandle | null = null;

  async function flush(): Promise<void> {
    handle ??= await objects.createMultipart(key, { contentType });
    parts.push(await objects.uploadPart(handle, parts.length + 1, buffer.subarray(0, filled)));
    filled = 0;
  }

  return {
    async write(text) {
      let rest = typeof text === "string" ? encoder.encode(text) : text;
      while (rest.byteLength > 0) {
        const count = Math.min(rest.byteLength, PART_BYTES - filled);
        buffer.set(rest.subarray(0, count), filled);
        filled += count;
        rest = rest.subarray(count);
        if (filled === PART_BYTES) await flush();
      }
    },
    async finish() {
      if (handle === null) {
        await objects.put(key, buffer.subarray(0, filled), { contentType });
        return;
      }
      if (filled > 0) await flush();
      await objects.completeMultipart(handle, parts);
    },
    async abandon() {
      if (handle !== null) await objects.abortMultipart(handle);
    },
  };
}
