import { constants, existsSync } from "node:fs";
import { access, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { objectsFolder } from "#hosts/node/object-store.ts";
import { openMailTransport } from "#hosts/ports/mail.ts";
import { withObjectStore } from "#program/with-object-store.ts";
import { type Deployment, LISTED_PREFIX } from "#service/doctor/deployment-checks.ts";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import type { Settings } from "#service/settings.ts";

/** This machine, before or beside the running service. Nothing is written. */
export function describeDeployment(
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
