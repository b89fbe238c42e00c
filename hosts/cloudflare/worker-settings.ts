import { readSettings, type Settings } from "#service/settings.ts";

/**
 * The service's settings: those of the environment's entries that are text.
 * @throws {SettingsError}
 */
export function readWorkerSettings(environment: object): Settings {
  return readSettings(
    Object.fromEntries(
      Object.entries(environment).filter(
        (entry): entry is [string, string] => typeof entry[1] === "string",
      ),
    ),
  );
}
