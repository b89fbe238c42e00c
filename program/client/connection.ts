import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import process from "node:process";
import * as z from "zod/mini";
import { validate } from "#contract/auth.ts";
import { fileErrorCode } from "#hosts/node/file-error.ts";
import { CommandError, EXIT_CODES } from "#program/exit-codes.ts";
import { readSecret } from "#program/read-secret.ts";
import { requirePlain } from "#service/settings.ts";
import { call, type Connection } from "./call.ts";
import { print } from "./output.ts";

const LOCAL_URL = "http://localhost:8787";

const configSchema = z.object({ url: z.string(), token: z.string() });

function configPath(): string {
  return join(process.env["XDG_CONFIG_HOME"] || homeConfig(), "vodkeep", "config.json");
}

/** @throws {CommandError} for a user without a home, as in containers */
function homeConfig(): string {
  try {
    return join(homedir(), ".config");
  } catch (cause) {
    throw new CommandError(
      EXIT_CODES.settings,
      "This user has no home folder: set HOME or XDG_CONFIG_HOME, or VODKEEP_URL and VODKEEP_TOKEN.",
      { cause },
    );
  }
}

async function readConfig(): Promise<Connection | null> {
  const path = configPath();
  try {
    return configSchema.parse(JSON.parse(await readFile(path, "utf8")));
  } catch (error) {
    if (fileErrorCode(error) === "ENOENT") return null;
    throw new CommandError(EXIT_CODES.failed, `${path} cannot be read. Run: vodkeep login`, {
      cause: error,
    });
  }
}

/** VODKEEP_URL and VODKEEP_TOKEN, else what `login` stored. A stored token is for its URL only. */
export async function readConnection(): Promise<Connection> {
  const { VODKEEP_URL, VODKEEP_TOKEN } = process.env;
  requirePlain("VODKEEP_URL", VODKEEP_URL);
  requirePlain("VODKEEP_TOKEN", VODKEEP_TOKEN);
  if (VODKEEP_TOKEN) return { url: plainUrl(VODKEEP_URL || LOCAL_URL), token: VODKEEP_TOKEN };
  const stored = await readConfig();
  if (stored === null || (VODKEEP_URL && plainUrl(VODKEEP_URL) !== stored.url))
    throw new CommandError(
      EXIT_CODES.refused,
      `There is no token for ${VODKEEP_URL || "the service"}. Run: vodkeep login`,
    );
  return stored;
}

/** Asks for a token, tries it, and stores it where only this user reads it. */
export async function login(options: { url?: string; json?: boolean }): Promise<void> {
  const url = plainUrl(options.url ?? process.env["VODKEEP_URL"] ?? LOCAL_URL);
  const token =
    process.env["VODKEEP_TOKEN"] ||
    (await readSecret("API token (make one in the console, under Your Sessions)"));
  if (!/^[\x21-\x7e]+$/.test(token))
    throw new CommandError(EXIT_CODES.usage, "This is not a token.");
  const connection = { url, token };
  const { valid, admin } = await call(connection, validate);
  if (!valid || admin === null)
    throw new CommandError(EXIT_CODES.refused, `${url} does not know this token.`);
  const path = configPath();
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeFile(`${path}.new`, `${JSON.stringify(connection)}\n`, { mode: 0o600 });
    await rename(`${path}.new`, path);
  } catch (cause) {
    throw new CommandError(
      EXIT_CODES.failed,
      `${path} cannot be written: ${fileErrorCode(cause)}. Set XDG_CONFIG_HOME to a folder that can.`,
      { cause },
    );
  }
  const { login: name, permissions } = admin;
  print(options, { url, login: name, permissions }, () => [
    `Signed in to ${url} as ${name}: ${permissions.join(", ")}`,
  ]);
}

/** @throws {CommandError} */
function plainUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new CommandError(EXIT_CODES.usage, `${text} has to begin with http:// or https://.`);
  return url.origin + url.pathname.replace(/\/+$/, "");
}
