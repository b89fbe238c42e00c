import { type ObjectKey, objectKeySchema } from "#contract/files.ts";
import { StoreError } from "#service/ports/object-store.ts";
import { elementText } from "./s3-xml.ts";

/** @throws {StoreError} `invalid` for text that is not a key, despite its type */
export function checkedKey(key: ObjectKey): string {
  if (objectKeySchema.safeParse(key).success) return key;
  throw new StoreError("invalid", `${JSON.stringify(key)} is not a valid key`);
}

/** The key of a listed object or upload; null for a foreign one that is not a valid key. */
export function readListedKey(xml: string, keyPrefix: string): ObjectKey | null {
  const name = elementText(xml, "Key") ?? "";
  if (!name.startsWith(keyPrefix)) return null;
  const key = objectKeySchema.safeParse(name.slice(keyPrefix.length));
  return key.success ? key.data : null;
}
