import * as z from "zod/mini";
import { twitchReturnsTo } from "#contract/device-sign-in.ts";
import { describeFault } from "./describe-fault.ts";
import { isLoopback } from "./loopback.ts";
import {
  baseUrl,
  encryptedUrl,
  flag,
  folderPath,
  hostWithPort,
  listText,
  positiveNumber,
  publicUrl,
  secretKey,
  wholeNumber,
} from "./setting-types.ts";

/**
 * A wrong setting. It stops the start with one sentence that names it. Settings are read once from
 * the environment (docs/settings.md lists them).
 */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/** 128 bits as hexadecimal digits; shorter keys cause a warning. */
const ADVISED_KEY_LENGTH = 32;

/**
 * Twitch's media hosts: CloudFront distributions and its own names
 * (docs/twitch.md#media-playlists).
 */
const TWITCH_CDN_HOSTS = ["*.cloudfront.net", "*.twitch.tv", "*.ttvnw.net", "*.jtvnw.net"];

export const DEFAULT_MONTHLY_BUDGET_USD = 50;

const settingsSchema = z.object({
  HOST: z._default(z.string().check(z.minLength(1)), "127.0.0.1"),
  PORT: z._default(wholeNumber(0, 65_535), 8787),
  DATA_DIR: z._default(folderPath, "./data"),
  PUBLIC_URL: z.optional(publicUrl),
  CONSOLE_URL: z.optional(z.pipe(listText, z.array(publicUrl))),
  TLS: z.optional(
    z.literal(
      "self-signed",
      "must be self-signed; for a certificate of your own set TLS_CERT and TLS_KEY",
    ),
  ),
  TLS_CERT: z.optional(folderPath),
  TLS_KEY: z.optional(folderPath),
  ENVIRONMENT: z._default(
    z.string().check(z.regex(/^[A-Za-z0-9_-]{1,30}$/, "must be a short word")),
    "preview",
  ),
  OBJECT_STORE: z.optional(z.string()),
  LIBRARY_DIR: z.optional(folderPath),
  LIBRARY_COPIES: z._default(flag, false),
  S3_ACCESS_KEY_ID: z.optional(z.string()),
  S3_SECRET_ACCESS_KEY: z.optional(z.string()),
  TWITCH_CLIENT_ID: z.optional(z.string()),
  TWITCH_CLIENT_SECRET: z.optional(z.string()),
  TWITCH_ID_URL: z._default(encryptedUrl, "https://id.twitch.tv"),
  TWITCH_API_URL: z._default(baseUrl, "https://api.twitch.tv/helix"),
  TWITCH_GQL_URL: z._default(baseUrl, "https://gql.twitch.tv/gql"),
  TWITCH_USHER_URL: z._default(baseUrl, "https://usher.ttvnw.net"),
  TWITCH_MEDIA_HOSTS: z._default(z.pipe(listText, z.array(hostWithPort)), TWITCH_CDN_HOSTS),
  SOURCE_HOSTS: z._default(z.pipe(listText, z.array(hostWithPort)), []),
  WEBHOOK_HOSTS: z._default(z.pipe(listText, z.array(hostWithPort)), []),
  ADMIN_TWITCH_IDS: z._default(
    z.pipe(
      listText,
      z.array(z.string().check(z.regex(/^[1-9]\d{0,19}$/, "must be numeric Twitch ids"))),
    ),
    [],
  ),
  MAX_RETRIES: z._default(wholeNumber(0, 100), 3),
  STALL_AFTER_MS: z._default(wholeNumber(1_000, 86_400_000), 600_000),
  ARCHIVE_CONCURRENCY: z._default(wholeNumber(1, 32), 2),
  STORAGE_CAPACITY_GB: z._default(positiveNumber(1_000_000_000), 1_000),
  STORAGE_RESERVE_GB: z.optional(positiveNumber(1_000_000)),
  SCRUB_DAYS: z._default(wholeNumber(0, 3_650), 60),
  MONTHLY_BUDGET_USD: z._default(positiveNumber(1_000_000), DEFAULT_MONTHLY_BUDGET_USD),
  TELEGRAM_API_URL: z._default(baseUrl, "https://api.telegram.org"),
  TELEGRAM_BOT_TOKEN: z.optional(z.string().check(z.minLength(1))),
  TELEGRAM_BOT_NAME: z.optional(z.string().check(z.minLength(1))),
  SMTP_URL: z.optional(
    z.string().check(
      z.refine((text) => {
        const url = URL.parse(text);
        return url !== null && /^smtps?:$/.test(url.protocol) && url.hostname !== "";
      }, "must be an address such as smtps://user:password@mail.example.org"),
    ),
  ),
  MAIL_FROM: z.optional(
    z
      .string()
      .check(
        z.regex(/^[^@\r\n]+@[^@\s]+$/, "must be an address such as Vodkeep <vodkeep@example.org>"),
      ),
  ),
  /** Addresses and ranges; the host validates them. */
  TRUSTED_PROXIES: z._default(listText, []),
  RATE_LIMIT_FACTOR: z._default(positiveNumber(1_000_000), 1),
  METRICS_TOKEN: z.optional(
    z.string().check(z.regex(/^[A-Za-z0-9._~+/=-]{16,256}$/, "must be 16 to 256 plain characters")),
  ),
  REAUTHENTICATE_MINUTES: z.optional(wholeNumber(1, 720)),
  SECRET_KEY: z.optional(secretKey),
  /** An earlier SECRET_KEY, accepted only for reading what it signed or encrypted. */
  SECRET_KEY_PREVIOUS: z.optional(z.string()),
});

export const SETTING_NAMES: readonly string[] = Object.keys(settingsSchema.shape);

type ParsedSettings = z.infer<typeof settingsSchema>;

export type Settings = Omit<ParsedSettings, "PUBLIC_URL" | "CONSOLE_URL"> & {
  /** Like each CONSOLE_URL an origin, with its sub-path if it has one. */
  readonly PUBLIC_URL: string;
  /** The first one serves the sign-in's return page. */
  readonly CONSOLE_URL: readonly [string, ...string[]];
};

/** @throws {SettingsError} naming the first wrong setting. An empty value counts as absent. */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ""),
  );
  for (const name of SETTING_NAMES) requirePlain(name, given[name]);
  const result = settingsSchema.safeParse(given, { error: describeFault });
  if (!result.success) {
    const [issue] = result.error.issues;
    throw new SettingsError(`${String(issue?.path[0])} ${issue?.message}.`);
  }
  const parsed = result.data;
  requirePair(given, "TWITCH_CLIENT_ID", "TWITCH_CLIENT_SECRET");
  requirePair(given, "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY");
  requirePair(given, "SMTP_URL", "MAIL_FROM");
  requirePair(given, "TLS_CERT", "TLS_KEY");
  if (parsed.TLS !== undefined && parsed.TLS_CERT !== undefined)
    throw new SettingsError("TLS must not be set with TLS_CERT, which names another certificate.");
  if (parsed.LIBRARY_DIR !== undefined && parsed.OBJECT_STORE !== undefined)
    throw new SettingsError(
      "LIBRARY_DIR needs files in DATA_DIR; with OBJECT_STORE, run `vodkeep mirror --layout media` instead.",
    );
  const ownUrl = parsed.PUBLIC_URL ?? `${schemeOf(parsed)}://localhost:${parsed.PORT}`;
  if (schemeOf(parsed) === "https" && !isHttps({ PUBLIC_URL: ownUrl }))
    throw new SettingsError("PUBLIC_URL must be an https address, as TLS is on.");
  const [firstConsole, ...otherConsoles] = parsed.CONSOLE_URL ?? [ownUrl];
  return {
    ...parsed,
    PUBLIC_URL: ownUrl,
    CONSOLE_URL: [firstConsole ?? ownUrl, ...otherConsoles],
  };
}

/**
 * Refuses what a file of variables leaves in values when no shell reads it. The value may be a secret.
 *
 * @throws {SettingsError}
 */
export function requirePlain(name: string, value: string | undefined): void {
  if (value === undefined) return;
  const fault = /^(["'`]).*\1$/s.test(value)
    ? "is in quotes, which would be part of it: remove them"
    : /[\r\n]$/.test(value)
      ? "ends with a line end, as in files that Windows wrote: remove it"
      : /[\r\n\0]/.test(value)
        ? "has more than one line"
        : null;
  if (fault !== null) throw new SettingsError(`${name} ${fault}.`);
}

/** What the node host speaks on its port. */
export function schemeOf({
  TLS,
  TLS_CERT,
}: Pick<ParsedSettings, "TLS" | "TLS_CERT">): "http" | "https" {
  return TLS === undefined && TLS_CERT === undefined ? "http" : "https";
}

export function isHttps({ PUBLIC_URL }: Pick<Settings, "PUBLIC_URL">): boolean {
  return PUBLIC_URL.startsWith("https:");
}

/** The address that has to be registered with the Twitch application. */
export function redirectUriOf({ CONSOLE_URL }: Pick<Settings, "CONSOLE_URL">): string {
  return `${CONSOLE_URL[0]}/auth/callback`;
}

/**
 * What the Twitch application has to be given, and what to do where Twitch would refuse it: it returns
 * sign-ins to https addresses and to http://localhost only. It compares addresses to the letter.
 */
export function redirectAdvice(settings: Pick<Settings, "PUBLIC_URL" | "CONSOLE_URL">): string {
  const redirectUri = redirectUriOf(settings);
  const { host } = new URL(redirectUri);
  return twitchReturnsTo(redirectUri) === "no"
    ? `Twitch returns sign-ins to https addresses and to http://localhost only, not to ${redirectUri}, so people sign in with a code at twitch.tv/activate. Better set TLS=self-signed and PUBLIC_URL=https://${host}, or put https in front of the service.`
    : `The Twitch application needs the OAuth redirect URL ${redirectUri} (dev.twitch.tv/console).`;
}

/**
 * Allowed but insecure or incomplete settings, one sentence each. `hasAdministrator`: whether
 * someone has permissions in the database, where that is known.
 */
export function settingsWarnings(
  {
    PUBLIC_URL,
    SECRET_KEY,
    TWITCH_CLIENT_ID,
    ADMIN_TWITCH_IDS,
  }: Pick<Settings, "PUBLIC_URL" | "SECRET_KEY" | "TWITCH_CLIENT_ID" | "ADMIN_TWITCH_IDS">,
  hasAdministrator = false,
): readonly string[] {
  const warnings: string[] = [];
  if (TWITCH_CLIENT_ID !== undefined && ADMIN_TWITCH_IDS.length === 0 && !hasAdministrator)
    warnings.push(
      "ADMIN_TWITCH_IDS is empty: unless a user already has permissions, nobody can administer this " +
        "deployment; set it to your numeric Twitch id, which the console shows after you sign in",
    );
  const { protocol, hostname } = new URL(PUBLIC_URL);
  if (protocol !== "https:" && !isLoopback(hostname))
    warnings.push(
      `PUBLIC_URL ${PUBLIC_URL} is not encrypted: anyone on the network path can read and use ` +
        "sessions; set TLS=self-signed, or put https in front of the service",
    );
  if (SECRET_KEY !== undefined && SECRET_KEY.length < ADVISED_KEY_LENGTH)
    warnings.push(
      `SECRET_KEY has fewer than ${ADVISED_KEY_LENGTH} characters and may be guessed: replace it as ` +
        "docs/security.md describes under Rotating SECRET_KEY",
    );
  return warnings;
}

function requirePair(
  given: Readonly<Record<string, unknown>>,
  first: string,
  second: string,
): void {
  if (first in given && !(second in given))
    throw new SettingsError(`${second} must be set with ${first}.`);
  if (second in given && !(first in given))
    throw new SettingsError(`${first} must be set with ${second}.`);
}
