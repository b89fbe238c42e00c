import { readKeyPrefix } from "#hosts/ports/key-prefix.ts";
import { type Settings, SettingsError } from "#service/settings.ts";

/**
 * The prefix of every key in the bucket. OBJECT_STORE names the binding followed by the prefix:
 * `r2://OBJECTS/prefix`. Unset: the whole bucket.
 *
 * @throws {SettingsError}
 */
export function readBucketPrefix({ OBJECT_STORE: text }: Pick<Settings, "OBJECT_STORE">): string {
  if (text === undefined) return "";
  const path = /^r2:\/\/OBJECTS(\/.*)?$/.exec(text);
  if (path === null) throw new SettingsError("OBJECT_STORE must look like r2://OBJECTS/prefix.");
  return readKeyPrefix(path[1] ?? "");
}
