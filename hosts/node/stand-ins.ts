import { isLoopback } from "#service/loopback.ts";
import { type Settings, SettingsError } from "#service/settings.ts";
import { startMessageStandIns } from "./message-stand-ins.ts";
import { startTwitchStandIn } from "./twitch-stand-in.ts";

export type StandIns = {
  /** Settings that point the service at them. */
  readonly settings: Readonly<Record<string, string>>;
  /** Origins of the stand-in channels' pictures. */
  readonly imageOrigins: readonly string[];
  /** Lines for the terminal: which stand-ins run, and where to see messages. */
  readonly notes: readonly string[];
  close(): void;
};

/**
 * Starts the Twitch stand-in as a child process, and those for Telegram and mail where they are not
 * configured. Null with Twitch credentials, which mean real use.
 *
 * @throws {SettingsError} when other machines could reach a service that anyone may sign in to.
 */
export async function startStandIns(
  given: Pick<
    Settings,
    "HOST" | "PUBLIC_URL" | "TWITCH_CLIENT_ID" | "TELEGRAM_BOT_TOKEN" | "SMTP_URL"
  >,
  dataDir: string,
): Promise<StandIns | null> {
  if (given.TWITCH_CLIENT_ID !== undefined) return null;
  if (!isLoopback(given.HOST)) throw openToOthers("HOST", given.HOST);
  if (!isLoopback(new URL(given.PUBLIC_URL).hostname))
    throw openToOthers("PUBLIC_URL", given.PUBLIC_URL);
  const [twitch, messages] = await Promise.all([
    startTwitchStandIn(dataDir),
    startMessageStandIns(given),
  ]);
  return {
    settings: { ...twitch.settings, ...messages?.settings },
    imageOrigins: [twitch.imageOrigin],
    notes: [
      `No Twitch credentials are set: a stand-in plays Twitch at ${twitch.imageOrigin}`,
      ...(messages?.notes ?? []),
    ],
    close() {
      twitch.close();
      messages?.close();
    },
  };
}

function openToOthers(name: string, value: string): SettingsError {
  return new SettingsError(
    `${name} ${value} opens the service to other machines: set TWITCH_CLIENT_ID and ` +
      "TWITCH_CLIENT_SECRET, since with the Twitch stand-in everybody can sign in as administrator.",
  );
}
