import { existsSync, mkdirSync, readFileSync, constants } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { join, resolve, dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { writePrivateFile } from "#hosts/node/data-folder.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import type { Examination } from "#contract/examination.ts";
import type { TwitchVodId } from "#contract/ids.ts";
import { examine } from "#service/doctor/examine.ts";
import { type Fingerprint, fingerprintSchema } from "#service/doctor/fingerprint.ts";
import { parseJson } from "#service/parse-json.ts";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import type { Settings } from "#service/settings.ts";
import { objectsFolder } from "#hosts/node/object-store.ts";
import { openMailTransport } from "#hosts/ports/mail.ts";
import { withObjectStore } from "#program/with-object-store.ts";
import { type Deployment, LISTED_PREFIX } from "#service/doctor/deployment-checks.ts";

const FINGERPRINT_FILE = "doctor.json";

/**
 * Examines this machine and Twitch. Read-only but for DATA_DIR/doctor.json, which keeps what Twitch
 * answered. Safe while the service runs, and repeatable.
 */
export async function examineMachine(
  settings: Settings,
  fetch: OutgoingFetch,
  vodId: TwitchVodId | null,
): Promise<Examination> {
  const path = resolve(settings.DATA_DIR);
  const context = { platform: { fetch, clock: systemClock, random: systemRandom }, settings };
  const deployment = describeDeployment(settings, fetch, path);
  const earlier = readFingerprint(path);
  const { examination, fingerprint } = await examine(context, deployment, earlier, vodId);
  if (!existsSync(path)) mkdirSync(path, { recursive: true, mode: 0o700 });
  writePrivateFile({ path }, FINGERPRINT_FILE, JSON.stringify(fingerprint, null, 2));
  return examination;
}

/** Null before the first run, and for a file that cannot be read. */
function readFingerprint(dataFolder: string): Fingerprint | null {
  try {
    return parseJson(fingerprintSchema, readFileSync(join(dataFolder, FINGERPRINT_FILE), "utf8"));
  } catch {
    return null;
  }
}

/** This machine, before or beside the running service. Nothing is written. */
function describeDeployment(
  settings: Settings,
  fetch: OutgoingFetch,
  dataFolder: string,
): Deployment {
  const folders = settings.OBJECT_STORE === undefined ? [objectsFolder(dataFolder)] : [];
  return {
    settings,
    runtime: { disks: () => Promise.all([dataFolder, ...folders].map(readSpace)) },
    fetch,
    mail: openMailTransport(settings),
    async readDatabase() {
      const path = join(dataFolder, "vodkeep.db");
      if (!existsSync(path)) return "created at the first start";
      const database = new DatabaseSync(path, { readOnly: true });
      try {
        database.prepare("SELECT id FROM users LIMIT 1").all();
      } finally {
        database.close();
      }
      return "";
    },
    async readStore() {
      if (settings.OBJECT_STORE === undefined) {
        await access(existing(objectsFolder(dataFolder)), constants.R_OK | constants.W_OK);
        return "a folder";
      }
      await withObjectStore(settings, dataFolder, fetch, (objects) =>
        objects.list({ prefix: LISTED_PREFIX }),
      );
      return "the bucket lists its objects; writing was not tried";
    },
  };
}

async function readSpace(path: string) {
  const { bavail, blocks, bsize } = await statfs(existing(path));
  return { freeBytes: bavail * bsize, sizeBytes: blocks * bsize };
}

/** The folder, or before the first start the one in which it will be. */
function existing(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existing(dirname(path));
}
