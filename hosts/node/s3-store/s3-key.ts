import { type ObjectKey, objectKeySchema } from "#contract/files.ts";
import { StoreError } from "#service/ports/object-store.ts";

/** @throws {StoreError} `denied` for text that is not a key, whoever vouched for it. */
export function checkedKey(key: ObjectKey): string {
  if (objectKeySchema.safeParse(key).success) return key;
  throw new StoreError("denied", `${JSON.stringify(key)} is not a valid key`);
}
