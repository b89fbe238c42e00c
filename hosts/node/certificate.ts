import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { SettingsError, type Settings } from "#service/settings.ts";
import { type DataFolder, writePrivateFile } from "./data-folder.ts";
import { fileErrorCode } from "./file-error.ts";

/** In PEM; `cert` may be followed by those of its issuers. */
export type Certificate = { readonly key: string; readonly cert: string };

export type TlsSettings = Pick<
  Settings,
  "TLS" | "TLS_CERT" | "TLS_KEY" | "PUBLIC_URL" | "CONSOLE_URL"
>;

const CERTIFICATE_FILE = "self-signed.crt";
const KEY_FILE = "self-signed.key";

const DAY_MS = 86_400_000;

/** The longest that Apple's systems accept (support.apple.com/103769). */
const VALID_MS = 825 * DAY_MS;

/** A new one is made while browsers still accept the old one. */
const RENEWED_BEFORE_MS = 30 * DAY_MS;

/** Clocks of other machines may be behind. */
const VALID_SINCE_MS = DAY_MS;

/**
 * What the server identifies itself with: the files of TLS_CERT and TLS_KEY as they are now, or a
 * certificate for the names in PUBLIC_URL and CONSOLE_URL that this deployment signs itself and keeps
 * in DATA_DIR. Null: it speaks plain HTTP.
 *
 * @throws {SettingsError} when a file cannot be read, or the two do not belong together
 */
export async function readCertificate(
  settings: TlsSettings,
  folder: Pick<DataFolder, "path">,
  nowMs: number,
): Promise<Certificate | null> {
  const { TLS, TLS_CERT, TLS_KEY } = settings;
  if (TLS_CERT !== undefined && TLS_KEY !== undefined) {
    const cert = readText("TLS_CERT", TLS_CERT);
    const key = readText("TLS_KEY", TLS_KEY);
    requirePair(cert, key);
    return { cert, key };
  }
  if (TLS === undefined) return null;
  const names = namesOf(settings);
  const kept = readKept(folder);
  if (kept !== null && isValidFor(kept.cert, names, nowMs)) return kept;
  const made = await signOwn(names, nowMs);
  writePrivateFile(folder, KEY_FILE, made.key);
  writePrivateFile(folder, CERTIFICATE_FILE, made.cert);
  return made;
}

function readText(name: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SettingsError(`${name} ${path} cannot be read: ${reason}.`, { cause: error });
  }
}

function requirePair(cert: string, key: string): void {
  const certificate = parsed("TLS_CERT", "certificate", () => new X509Certificate(cert));
  const privateKey = parsed("TLS_KEY", "private key without a passphrase", () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey))
    throw new SettingsError("TLS_KEY is not the key of the first certificate in TLS_CERT.");
}

function parsed<Value>(name: string, what: string, parse: () => Value): Value {
  try {
    return parse();
  } catch {
    throw new SettingsError(`${name} has no ${what} in PEM.`);
  }
}

/** Null if there is none, or a crash left halves of two. */
function readKept({ path }: Pick<DataFolder, "path">): Certificate | null {
  try {
    const cert = readFileSync(join(path, CERTIFICATE_FILE), "utf8");
    const key = readFileSync(join(path, KEY_FILE), "utf8");
    requirePair(cert, key);
    return { cert, key };
  } catch (error) {
    if (error instanceof SettingsError || fileErrorCode(error) === "ENOENT") return null;
    throw error;
  }
}

function namesOf({ PUBLIC_URL, CONSOLE_URL }: TlsSettings): readonly string[] {
  const hosts = [PUBLIC_URL, ...CONSOLE_URL].map((url) => new URL(url).hostname);
  return [...new Set([...hosts.map((host) => host.replace(/^\[|\]$/g, "")), "localhost"])];
}

function isValidFor(cert: string, names: readonly string[], nowMs: number): boolean {
  const certificate = new X509Certificate(cert);
  return (
    nowMs < certificate.validToDate.getTime() - RENEWED_BEFORE_MS &&
    names.every((name) =>
      isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name),
    )
  );
}

async function signOwn(names: readonly string[], nowMs: number): Promise<Certificate> {
  // Loaded once in two years.
  const { signCertificate } = await import("./sign-certificate.ts");
  return await signCertificate(names, nowMs - VALID_SINCE_MS, nowMs + VALID_MS - VALID_SINCE_MS);
}
