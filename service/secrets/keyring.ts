import { type Settings, SettingsError } from "#service/settings.ts";

/**
 * The secrets from which all keys are derived: SECRET_KEY and, during a rotation,
 * SECRET_KEY_PREVIOUS (docs/security.md#secrets).
 */
export type Keyring = {
  /** Signs and encrypts. */
  readonly current: string;
  /** Accepted for verifying and decrypting, the current one first. */
  readonly all: readonly string[];
};

/** @throws {SettingsError} without SECRET_KEY. */
export function createKeyring(
  settings: Pick<Settings, "SECRET_KEY" | "SECRET_KEY_PREVIOUS">,
): Keyring {
  const { SECRET_KEY: current, SECRET_KEY_PREVIOUS: previous } = settings;
  if (current === undefined) throw new SettingsError("SECRET_KEY must be set.");
  return { current, all: previous === undefined ? [current] : [current, previous] };
}
