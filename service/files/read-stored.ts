import type { ObjectKey } from "#contract/files.ts";
import { StoreError, type ByteRange, type ObjectStore } from "#service/ports/object-store.ts";

/**
 * An object's bytes, or a range of them; null when it is not there.
 * @throws {StoreError} also when the bytes break off on the way
 */
export async function readStored(
  objects: ObjectStore,
  key: ObjectKey,
  range?: ByteRange,
): Promise<Uint8Array<ArrayBuffer> | null> {
  const found = await objects.get(key, range);
  if (found === null) return null;
  try {
    return new Uint8Array(await new Response(found.body).arrayBuffer());
  } catch (error) {
    throw new StoreError("unavailable", `${key} could not be read to its end`, { cause: error });
  }
}
