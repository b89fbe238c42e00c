import type { ObjectKey } from "#contract/files.ts";
import { StoreError, type ByteRange, type ObjectStore } from "#service/ports/object-store.ts";

/**
 * Reads an object or a range of it; null if it does not exist.
 * @throws {StoreError} also when the body is interrupted
 */
export async function readStored(
  objects: Pick<ObjectStore, "get">,
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
