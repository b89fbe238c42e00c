import { randomBytes } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import type { SetupHost, TwitchCredentials } from "#service/ports/setup-host.ts";
import { createKeyring } from "#service/secrets/keyring.ts";
import { createSecretCipher, type SecretCipher } from "#service/secrets/secret-cipher.ts";
import { SettingsError, type Settings } from "#service/settings.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import { writePrivateFile, type DataFolder } from "./data-folder.ts";
import { fileErrorCode } from "./file-error.ts";
import { readSecretKey } from "./secret-key.ts";

export const CREDENTIALS_FILE = "twitch-credentials";
const CODE_FILE = "setup-code";

const credentialsSchema = z.object({
  TWITCH_CLIENT_ID: z.string(),
  TWITCH_CLIENT_SECRET: z.string(),
});

type Keys = Pick<Settings, "SECRET_KEY" | "SECRET_KEY_PREVIOUS">;

/**
 * The Twitch application that the first setup stored, as settings; null if there is none. `renews`:
 * stores it again if it was encrypted with SECRET_KEY_PREVIOUS.
 * @throws {SettingsError} when it cannot be read with these keys
 */
export async function readStoredCredentials(
  folder: Pick<DataFolder, "path">,
  given: Keys,
  { renews }: { readonly renews: boolean },
): Promise<z.infer<typeof credentialsSchema> | null> {
  const path = join(folder.path, CREDENTIALS_FILE);
  let sealed: string;
  try {
    sealed = readFileSync(path, "utf8").trim();
  } catch (error) {
    if (fileErrorCode(error) === "ENOENT") return null;
    throw error;
  }
  const keys = { ...given, SECRET_KEY: given.SECRET_KEY ?? readSecretKey(folder) ?? undefined };
  const opened = await (await cipherOf(keys)).decrypt(sealed, CREDENTIALS_FILE);
  if (opened === null)
    throw new SettingsError(
      `SECRET_KEY does not decrypt ${path}. Set SECRET_KEY_PREVIOUS to the key it was stored with, or set TWITCH_CLIENT_ID and TWITCH_CLIENT_SECRET.`,
    );
  if (renews && !opened.isCurrent) await storeText(folder, keys, opened.text);
  return z.parse(credentialsSchema, JSON.parse(opened.text));
}

/** `restart` is called once the credentials are on disk. */
export function createSetupHost(
  folder: DataFolder,
  keys: Keys,
  {
    code = makeCode(),
    restart,
    ...rest
  }: Pick<SetupHost, "credentials" | "twitchIdUrl"> & {
    readonly code: string | undefined;
    readonly restart: () => void;
  },
): SetupHost {
  return {
    ...rest,
    code,
    async storeCredentials({ clientId, clientSecret }: TwitchCredentials) {
      await storeText(
        folder,
        keys,
        JSON.stringify({ TWITCH_CLIENT_ID: clientId, TWITCH_CLIENT_SECRET: clientSecret }),
      );
      restart();
    },
    close: () => removeSetupCode(folder),
  };
}

/** For starts without a terminal: only this user can read it. Returns its path. */
export function writeSetupCode(folder: DataFolder, code: string): string {
  return writePrivateFile(folder, CODE_FILE, code);
}

export function removeSetupCode(folder: DataFolder): void {
  rmSync(join(folder.path, CODE_FILE), { force: true });
}

async function storeText(
  folder: Pick<DataFolder, "path">,
  keys: Keys,
  text: string,
): Promise<void> {
  // Bound to the file, so that it opens nothing elsewhere.
  const sealed = await (await cipherOf(keys)).encrypt(text, CREDENTIALS_FILE);
  writePrivateFile(folder, CREDENTIALS_FILE, sealed);
}

async function cipherOf(keys: Keys): Promise<SecretCipher> {
  return await createSecretCipher(createKeyring(keys), systemRandom);
}

/** 64 random bits in four groups, e.g. `1f0c-99ab-03de-7712`. */
function makeCode(): string {
  return randomBytes(8)
    .toString("hex")
    .replace(/.{4}(?=.)/g, "$&-");
}
