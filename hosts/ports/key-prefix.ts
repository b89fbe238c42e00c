import { SettingsError } from "#service/settings.ts";

/** Leaves our own keys, of up to some 200 characters, room enough. */
const PREFIX = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}(\/[A-Za-z0-9][A-Za-z0-9_-]{0,63}){0,3}$/;

/**
 * The path of an OBJECT_STORE as what every key begins with: "" for none, else with a slash at its
 * end.
 *
 * @throws {SettingsError}
 */
export function readKeyPrefix(path: string): string {
  const prefix = path.replaceAll(/^\/|\/$/g, "");
  if (prefix === "") return "";
  if (!PREFIX.test(prefix))
    throw new SettingsError(
      "OBJECT_STORE has a prefix that is none: up to four names of letters, digits, _ and -, with slashes between them.",
    );
  return `${prefix}/`;
}
