import { createTelegramApi } from "#service/notifications/telegram-api.ts";
import type { Runtime } from "#service/platform.ts";
import type { MailTransport } from "#service/ports/mail.ts";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import { settingsWarnings, type Settings } from "#service/settings.ts";
import { findStartShortage } from "#service/space/disk-space.ts";
import type { Checkup } from "./checkup.ts";

const TIMEOUT_MS = 10_000;

/** Listing these objects tries the store; there are few of them. */
export const LISTED_PREFIX = "internal/";

/** What is checked of a deployment; nothing of it is changed. */
export type Deployment = {
  readonly settings: Settings;
  /** The disks of the database and the objects; without them, that check is left out. */
  readonly runtime: Pick<Runtime, "disks">;
  readonly fetch: OutgoingFetch;
  readonly mail: Pick<MailTransport, "verify"> | null;
  /** Reads once. Both return what was found, and throw what is wrong. */
  readDatabase(): Promise<string>;
  readStore(): Promise<string>;
};

/** Checks the machine and its services. A running service is not disturbed. */
export async function checkDeployment(checkup: Checkup, deployment: Deployment): Promise<void> {
  const { settings, runtime, fetch, mail } = deployment;
  await checkup.check("Settings", async (say) => {
    const warnings = settingsWarnings(settings);
    if (warnings.length > 0) say("advice", `${warnings.join(". ")}.`);
  });
  if (runtime.disks !== undefined)
    await checkup.check("Disk", async (say) => {
      const shortage = await findStartShortage({ platform: { runtime }, settings });
      if (shortage !== null) say("problem", `${shortage} Make room, or lower STORAGE_RESERVE_GB.`);
    });
  await checkup.check("Database", async (say) => say("ok", await deployment.readDatabase()));
  await checkup.check("Object store", async (say) => say("ok", await deployment.readStore()));
  await checkup.check("Mail", async (say) => {
    if (mail === null) say("ok", "not set");
    else await mail.verify(TIMEOUT_MS).catch(adviceInstead(say));
  });
  await checkup.check("Telegram bot", async (say) => {
    const telegram = createTelegramApi({ platform: { fetch }, settings });
    if (telegram === null) say("ok", "not set");
    else await telegram.getMe(TIMEOUT_MS).catch(adviceInstead(say));
  });
}

/** For what archives do not need. */
export function adviceInstead(say: (result: "advice", text: string) => void) {
  return (error: unknown): void =>
    say("advice", error instanceof Error ? error.message : String(error));
}
