import { SettingsError } from "#service/settings.ts";

/** Leaves enough room for the keys themselves, of up to about 200 characters. */
const PREFIX = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}(\/[A-Za-z0-9][A-Za-z0-9_-]{0,63}){0,3}$/;

/**
 * Converts the path of an OBJECT_STORE to a key prefix: "" for none, else with a trailing slash.
 *
 * @throws {SettingsError}
 */
export function readKeyPrefix(path: string): string {
  const prefix = path.replaceAll(/^\/|\/$/g, "");
  if (prefix === "") return "";
  if (!PREFIX.test(prefix))
    throw new SettingsError(
      "OBJECT_STORE has an invalid prefix: use up to four names of letters, digits, _ and -, separated by slashes.",
    );
  return `${prefix}/`;
}
