import { afterAll, beforeEach, expect, test } from "vitest";
import * as auth from "#contract/auth.ts";
import { getFile } from "#contract/files.ts";
import * as users from "#contract/users.ts";
import { publishRightsChanged } from "#service/auth/session-events.ts";
import { sql } from "#service/db/sql.ts";
import { DatabaseError } from "#service/ports/database.ts";
import { addressOf } from "#service/testing/call-address.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { ADMIN, startTestService } from "#service/testing/test-service.ts";

/** Much more than any host buffers for a reader that does not read. */
const SIZE_BYTES = 24 * 1024 * 1024;
/** By then a watch has noticed the change by polling. */
const NEXT_LOOK_MS = 20_000;
const KEY = "vods/1005/1/reading.ts";
const READER = "1002";

let reader: TestClient;
/** Number of watches subscribed to session events. */
let listeners = 0;
let isDatabaseDown = false;
/** The end of each body that was served, newest last. */
let endings: Promise<void>[];

const vodkeep = await startTestService({
  changePlatform: (platform) => ({
    ...platform,
    breakable(...given) {
      const made = platform.breakable(...given);
      endings.push(made.ended);
      return made;
    },
    database: {
      ...platform.database,
      async all(statement) {
        if (isDatabaseDown) throw new DatabaseError("unavailable", "It does not answer");
        return await platform.database.all(statement);
      },
    },
    hub: {
      ...platform.hub,
      async subscribe(...given) {
        const subscription = await platform.hub.subscribe(...given);
        if (given[0] !== "sessions") return subscription;
        listeners += 1;
        return {
          ...subscription,
          unsubscribe() {
            listeners -= 1;
            subscription.unsubscribe();
          },
        };
      },
    },
  }),
});
const admin = await vodkeep.signIn(ADMIN);
await seedFile(vodkeep.platform, { key: KEY, bytes: new Uint8Array(SIZE_BYTES).fill(7) });
afterAll(() => vodkeep.close());
beforeEach(async () => {
  endings = [];
  // Undo bans and lost permissions of the previous test.
  await vodkeep.platform.database.run(sql`UPDATE users SET banned_at = NULL WHERE id = ${READER}`);
  reader = await vodkeep.signInWith(READER, ["read:uploads"]);
});

type Download = {
  readonly bytes: ReadableStreamDefaultReader<Uint8Array>;
  readonly taken: number;
};

/** Starts a download and reads only its first bytes. */
async function begin(client: TestClient = reader): Promise<Download> {
  const { downloadUrl = "" } = await client.expect(getFile, addressOf(getFile, { key: KEY }));
  const response = await vodkeep.visitor().send("GET", downloadUrl, { headers: { origin: "" } });
  expect(response.status).toBe(200);
  expect(response.headers.get("content-length")).toBe(String(SIZE_BYTES));
  if (response.body === null) throw new Error("A download has a body");
  const bytes = response.body.getReader();
  const { value } = await bytes.read();
  return { bytes, taken: value?.length ?? 0 };
}

async function readOn({ bytes, taken }: Download): Promise<number> {
  let count = taken;
  for (;;) {
    const { done, value } = await bytes.read();
    if (done) return count;
    count += value.length;
  }
}

const ENDS: readonly [string, () => Promise<unknown>][] = [
  [
    "is banned",
    () => admin.expect(users.banUser, addressOf(users.banUser, { id: READER }), { body: {} }),
  ],
  [
    "loses the permission",
    () =>
      admin.expect(users.setPermissions, addressOf(users.setPermissions, { id: READER }), {
        body: { permissions: ["read:users"] },
      }),
  ],
  ["signs out", () => reader.expect(auth.logout)],
];

test.for(ENDS)("a download is aborted immediately when its user %s", async ([, happens]) => {
  const download = await begin();
  const another = await begin(admin);
  await happens();
  const happenedMs = performance.now();
  await endings[0];
  expect(performance.now() - happenedMs).toBeLessThan(NEXT_LOOK_MS);
  await expect(readOn(download)).rejects.toBeInstanceOf(Error);
  expect(await readOn(another)).toBe(SIZE_BYTES);
});

test("a download continues after its session has expired or been replaced", async () => {
  const { database } = vodkeep.platform;
  const downloads = [await begin(), await begin()];
  await expect.poll(() => listeners).toBe(2);
  await database.run(
    sql`UPDATE sessions SET last_seen_at = 0, expires_at = 1 WHERE user_id = ${READER}`,
  );
  for (const reason of ["expired", "replaced"]) {
    await database.run(sql`
      UPDATE sessions SET revoked_at = 1, revoked_reason = ${reason} WHERE user_id = ${READER}`);
    await publishRightsChanged(vodkeep.platform, READER);
  }
  for (const each of downloads) expect(await readOn(each)).toBe(SIZE_BYTES);
  await expect.poll(() => listeners).toBe(0);
});

test("a cancelled download is no longer watched", async () => {
  const download = await begin();
  await expect.poll(() => listeners).toBe(1);
  await download.bytes.cancel();
  await expect.poll(() => listeners).toBe(0);
});

test("a failed recheck is logged, and a later sign-out still aborts the download", async () => {
  const download = await begin();
  await expect.poll(() => listeners).toBe(1);
  isDatabaseDown = true;
  await publishRightsChanged(vodkeep.platform, READER);
  await expect.poll(() => vodkeep.log()).toContain("A transfer could not be rechecked");
  isDatabaseDown = false;
  await reader.expect(auth.logout);
  await endings[0];
  await expect(readOn(download)).rejects.toBeInstanceOf(Error);
});
