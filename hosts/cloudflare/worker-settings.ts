import { basePathOf } from "#service/base-path.ts";
import { SettingsError, readSettings, type Settings } from "#service/settings.ts";

/**
 * Reads the service's settings from the text entries of the environment.
 * @throws {SettingsError}
 */
export function readWorkerSettings(environment: object): Settings {
  const settings = readSettings(
    Object.fromEntries(
      Object.entries(environment).filter(
        (entry): entry is [string, string] => typeof entry[1] === "string",
      ),
    ),
  );
  // Static assets are served from the root (Workers, "Static Assets").
  if (basePathOf(settings.PUBLIC_URL) !== "")
    throw new SettingsError("PUBLIC_URL must have no path on Cloudflare.");
  return settings;
}
