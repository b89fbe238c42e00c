import { replaceOperations, StoreError, type ObjectStore } from "#service/ports/object-store.ts";
import { findShortage, type SpaceContext } from "./disk-space.ts";

/** Wraps a store: writes that would use the disk's reserve fail with `full`. */
export function guardObjects(objects: ObjectStore, context: SpaceContext): ObjectStore {
  // Bytes of running writes may not yet be subtracted from the free space.
  let writingBytes = 0;

  async function write<T>(bytes: Uint8Array, run: () => Promise<T>): Promise<T> {
    writingBytes += bytes.byteLength;
    try {
      const shortage = await findShortage(context, writingBytes);
      if (shortage !== null) throw new StoreError("full", shortage);
      return await run();
    } finally {
      writingBytes -= bytes.byteLength;
    }
  }

  return replaceOperations(objects, {
    put: (key, body, options) => write(body, () => objects.put(key, body, options)),
    uploadPart: (handle, partNumber, bytes, digest) =>
      write(bytes, () => objects.uploadPart(handle, partNumber, bytes, digest)),
  });
}
