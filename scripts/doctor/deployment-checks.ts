import { constants, existsSync } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createDigests } from "#hosts/node/digests.ts";
import { objectsFolder, openObjectStore } from "#hosts/node/object-store.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { verifyMailServer } from "#hosts/ports/mail.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import { createTelegramApi } from "#service/notifications/telegram-api.ts";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import { settingsWarnings, type Settings } from "#service/settings.ts";
import { findStartShortage } from "#service/space/disk-space.ts";
import type { Checkup } from "./checkup.ts";

const TIMEOUT_MS = 10_000;

/** Checks this machine and its services. Nothing is written; a running service is not disturbed. */
export async function checkDeployment(
  checkup: Checkup,
  settings: Settings,
  fetch: OutgoingFetch,
): Promise<void> {
  const dataFolder = resolve(settings.DATA_DIR);
  await checkup.check("Settings", async (say) => {
    const warnings = settingsWarnings(settings);
    if (warnings.length > 0) say("advice", `${warnings.join(". ")}.`);
  });
  await checkup.check("Disk", async (say) => {
    const folders = settings.OBJECT_STORE === undefined ? [objectsFolder(dataFolder)] : [];
    const disks = () => Promise.all([dataFolder, ...folders].map(readSpace));
    const shortage = await findStartShortage({ platform: { runtime: { disks } }, settings });
    if (shortage !== null) say("problem", `${shortage} Make room, or lower STORAGE_RESERVE_GB.`);
  });
  await checkup.check("Database", async (say) => {
    const path = join(dataFolder, "vodkeep.db");
    if (!existsSync(path)) {
      say("ok", "created at the first start");
      return;
    }
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      database.prepare("SELECT id FROM users LIMIT 1").all();
    } finally {
      database.close();
    }
  });
  await checkup.check("Object store", async (say) => {
    if (settings.OBJECT_STORE === undefined) {
      await access(existing(objectsFolder(dataFolder)), constants.R_OK | constants.W_OK);
      say("ok", "a folder");
    } else {
      await listBucket(settings, dataFolder, fetch);
      say("ok", "the bucket lists its objects; writing was not tried");
    }
  });
  await checkup.check("Mail", async (say) => {
    if (settings.SMTP_URL === undefined) say("ok", "not set");
    else await verifyMailServer(settings, TIMEOUT_MS).catch(adviceInstead(say));
  });
  await checkup.check("Telegram bot", async (say) => {
    const telegram = createTelegramApi({ platform: { fetch }, settings });
    if (telegram === null) say("ok", "not set");
    else await telegram.getMe(TIMEOUT_MS).catch(adviceInstead(say));
  });
}

/** Messages are not needed for an archive. */
function adviceInstead(say: (result: "advice", text: string) => void) {
  return (error: unknown): void =>
    say("advice", error instanceof Error ? error.message : String(error));
}

async function listBucket(
  settings: Settings,
  dataFolder: string,
  fetch: OutgoingFetch,
): Promise<void> {
  const digests = createDigests();
  try {
    const surroundings = { dataFolder, digests, fetch, clock: systemClock, random: systemRandom };
    const store = await openObjectStore(settings, surroundings);
    await store.objects.list({ prefix: "internal/" });
    await store.close();
  } finally {
    await digests.close();
  }
}

async function readSpace(path: string) {
  const { bavail, blocks, bsize } = await statfs(existing(path));
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
}

/** The folder, or before the first start the one in which it will be. */
function existing(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existing(dirname(path));
}
