import { fork } from "node:child_process";
import { extname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import * as z from "zod/mini";
import { isLoopback } from "#service/loopback.ts";
import { allowsSetup } from "#service/setup/first-setup.ts";
import { type Settings, SettingsError } from "#service/settings.ts";

export type StandIns = {
  /** Settings that point the service at them. */
  readonly settings: Readonly<Record<string, string>>;
  /** Origins of the stand-in channels' pictures. */
  readonly imageOrigins: readonly string[];
  /** Lines for the terminal: which stand-ins run, and where to see messages. */
  readonly notes: readonly string[];
  close(): void;
};

type Given = Parameters<typeof allowsSetup>[0] &
  Pick<Settings, "TWITCH_CLIENT_ID" | "TELEGRAM_BOT_TOKEN" | "SMTP_URL">;

/** The Twitch stand-in's first account is administrator, as there is no other. */
const FIRST_ACCOUNT = "1001";

const addressesSchema = z.object({
  twitch: z.object({ url: z.string(), settings: z.record(z.string(), z.string()) }),
  telegram: z.object({ url: z.string(), botToken: z.string() }),
  mail: z.object({ smtpUrl: z.string(), inboxUrl: z.string() }),
});

/**
 * Starts the stand-ins as a child process: Twitch's, and those for Telegram and mail where they are
 * not configured. Null with Twitch credentials, which mean real use, and where other machines reach the
 * service: anyone may sign in at a stand-in. The Twitch stand-in's port and sign-ins are kept in `dataDir`. `knownClientId` is that of the real Twitch in the database.
 *
 * @throws {SettingsError} when they would judge what the real Twitch had, and when other machines
 *   reach a service that has no setup, either
 */
export async function startStandIns(
  given: Given,
  dataDir: string,
  knownClientId: string | null,
): Promise<StandIns | null> {
  if (given.TWITCH_CLIENT_ID !== undefined) return null;
  if (knownClientId !== null)
    throw new SettingsError(
      `The database in ${dataDir} was written with the Twitch application ${knownClientId}: set TWITCH_CLIENT_ID and TWITCH_CLIENT_SECRET again, or start with --trial, which has a folder and stand-ins of its own.`,
    );
  const { HOST, PUBLIC_URL } = given;
  if (!isLoopback(HOST) || !isLoopback(new URL(PUBLIC_URL).hostname)) {
    if (allowsSetup(given)) return null;
    throw isLoopback(HOST) ? openToOthers("PUBLIC_URL", PUBLIC_URL) : openToOthers("HOST", HOST);
  }
  const { addresses, close } = await startProcess(join(dataDir, "twitch-stand-in.json"));
  const { twitch, telegram, mail } = addresses;
  const settings: Record<string, string> = { ...twitch.settings, ADMIN_TWITCH_IDS: FIRST_ACCOUNT };
  const notes = [`No Twitch credentials are set: a stand-in plays Twitch at ${twitch.url}`];
  if (given.TELEGRAM_BOT_TOKEN === undefined) {
    settings.TELEGRAM_API_URL = telegram.url;
    settings.TELEGRAM_BOT_TOKEN = telegram.botToken;
    notes.push(`No Telegram bot is set: a stand-in plays Telegram at ${telegram.url}`);
  }
  if (given.SMTP_URL === undefined) {
    settings.SMTP_URL = mail.smtpUrl;
    settings.MAIL_FROM = "Vodkeep <vodkeep@localhost>";
    notes.push(`No mail server is set: what is mailed can be read at ${mail.inboxUrl}`);
  }
  return { settings, imageOrigins: [twitch.url], notes, close };
}

/**
 * Resolves with the process's first message, the addresses it serves. It ends when `close` is called
 * or when this process ends for any reason. Its program lies beside this file, in the sources and in the
 * build.
 */
function startProcess(
  stateFile: string,
): Promise<{ readonly addresses: z.infer<typeof addressesSchema>; readonly close: () => void }> {
  const program = fileURLToPath(
    new URL(`./stand-ins-process${extname(import.meta.url)}`, import.meta.url),
  );
  // Set by `node --watch`; it would make the child report its modules over the IPC channel.
  const { WATCH_REPORT_DEPENDENCIES: _unwanted, ...env } = process.env;
  const child = fork(program, [stateFile], {
    env,
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("exit", (code) =>
      reject(new Error(`The stand-ins ended with code ${code} before they served`)),
    );
    child.once("message", (message) =>
      resolve({
        addresses: addressesSchema.parse(message),
        close: () => {
          if (child.connected) child.disconnect();
        },
      }),
    );
  });
}

function openToOthers(name: string, value: string): SettingsError {
  return new SettingsError(
    `${name} ${value} opens the service to other machines: set TWITCH_CLIENT_ID and ` +
      "TWITCH_CLIENT_SECRET, since with the Twitch stand-in everybody can sign in as administrator.",
  );
}
