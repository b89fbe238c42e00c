import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fingerprintOf } from "#service/secrets/key-fingerprint.ts";
import { SettingsError, type Settings } from "#service/settings.ts";
import { type DataFolder, writePrivateFile } from "./data-folder.ts";
import { fileErrorCode } from "./file-error.ts";

type Folder = Pick<DataFolder, "path">;

/**
 * The key that a deployment signs and encrypts with: SECRET_KEY, or that of the folder, which is made
 * for a database that was not sealed with any. `sealedWith` is the fingerprint of the database's key;
 * null if it knows none.
 *
 * @throws {SettingsError} for another key than that, and when the folder's cannot be read
 */
export async function secretKeyOf(
  folder: Folder,
  given: Pick<Settings, "SECRET_KEY" | "SECRET_KEY_PREVIOUS">,
  sealedWith: string | null,
): Promise<string> {
  const present = given.SECRET_KEY ?? readSecretKey(folder);
  if (sealedWith !== null) {
    const keys = [present, given.SECRET_KEY_PREVIOUS].filter((key) => typeof key === "string");
    const fingerprints = await Promise.all(keys.map(fingerprintOf));
    if (!fingerprints.includes(sealedWith))
      throw new SettingsError(
        `The database was sealed with the secret key ${sealedWith}, and ${fingerprints[0] === undefined ? "there is none here" : `this one is ${fingerprints[0]}`}: put that key into ${join(folder.path, "secret-key")} or SECRET_KEY, or into SECRET_KEY_PREVIOUS to replace it. If it is lost, go on without what it encrypted: \`vodkeep new-key\`, or \`vodkeep restore --yes --new-key\`.`,
      );
  }
  return present ?? makeSecretKey(folder);
}

/** Null if the folder has none. @throws {SettingsError} when it exists and cannot be read */
export function readSecretKey(folder: Folder): string | null {
  const path = join(folder.path, "secret-key");
  let key: string;
  try {
    key = readFileSync(path, "utf8").trim();
  } catch (error) {
    if (fileErrorCode(error) === "ENOENT") return null;
    const reason = error instanceof Error ? error.message : String(error);
    throw new SettingsError(`The secret key ${path} cannot be read: ${reason}.`, { cause: error });
  }
  if (key !== "") return key;
  throw new SettingsError(
    `The secret key ${path} is empty. Restore it from a backup, or delete it: a new one then signs everybody out.`,
  );
}

function makeSecretKey(folder: Folder): string {
  const key = randomBytes(32).toString("hex");
  writePrivateFile(folder, "secret-key", key);
  return key;
}
