import { createHash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { isDue, KEPT_BACKUPS, makeBackup } from "#service/backups/nightly-backup.ts";
import { type ObjectStore, replaceOperations, StoreError } from "#service/ports/object-store.ts";
import { ADMIN, startTestService, type TestService } from "#service/testing/test-service.ts";
import { makeTemporaryFolder } from "./testing/temporary-folder.ts";

const DAY_MS = 86_400_000;
const FOREIGN = objectKeySchema.parse("backups/of-somebody-else.tar");

let vodkeep: TestService;
beforeEach(async () => {
  vodkeep = await startTestService();
  await vodkeep.signIn(ADMIN);
  await vodkeep.platform.objects.put(FOREIGN, new Uint8Array(1), { contentType: "text/plain" });
});
afterEach(() => vodkeep.close());

async function backUp(changes: Partial<Omit<ObjectStore, "partTagAlgorithm">> = {}) {
  const { snapshots } = vodkeep.platform;
  if (snapshots === undefined) throw new Error("This host takes no snapshots");
  const objects = replaceOperations(vodkeep.platform.objects, changes);
  await makeBackup({ ...vodkeep.context, platform: { ...vodkeep.platform, objects } }, snapshots);
}

async function keys() {
  const { objects } = await vodkeep.platform.objects.list({ prefix: "backups/" });
  return objects.map(({ key }) => key).filter((key) => key !== FOREIGN);
}

async function read(end: string): Promise<Uint8Array> {
  const key = (await keys()).findLast((each) => each.endsWith(end));
  const stored = key === undefined ? null : await vodkeep.platform.objects.get(key);
  return new Uint8Array(await new Response(stored?.body ?? null).arrayBuffer());
}

test("a backup has the rows, the digest and the counts, and no sessions", async () => {
  await backUp();
  const data = await read(".db.gz");
  const facts: unknown = JSON.parse(new TextDecoder().decode(await read(".json")));
  expect(facts).toMatchObject({
    sha256: createHash("sha256").update(data).digest("hex"),
    sizeBytes: data.byteLength,
    uploads: 0,
    schema: expect.stringMatching(/^\d{4}-/),
  });
  const folder = await makeTemporaryFolder();
  await writeFile(join(folder.path, "copy.db"), gunzipSync(data));
  const copy = new DatabaseSync(join(folder.path, "copy.db"));
  const counts = copy.prepare(
    "SELECT (SELECT count(*) FROM users) AS users, (SELECT count(*) FROM sessions) AS sessions",
  );
  expect({ ...counts.get() }).toEqual({ users: 1, sessions: 0 });
  copy.close();
  await folder.remove();
  expect(await vodkeep.platform.runtime.lastBackupAt?.()).toBeInstanceOf(Date);
});

const away = () => Promise.reject(new StoreError("unavailable", "away"));
const full = () => Promise.reject(new StoreError("full", "The disk is full."));

test.each<[string, Partial<Omit<ObjectStore, "partTagAlgorithm">>]>([
  ["has no room for a part", { uploadPart: full }],
  ["goes away before the end", { completeMultipart: away }],
  ["cannot be read", { get: away }],
  ["lost what it confirmed", { get: () => Promise.resolve(null) }],
  ["has no room for the counts", { put: full }],
])("older backups stay when the store %s, and the next run clears up", async (_what, changes) => {
  for (let night = 1; night <= KEPT_BACKUPS; night += 1)
    for (const end of ["db.gz", "json"])
      await vodkeep.platform.objects.put(
        objectKeySchema.parse(
          `backups/vodkeep-2026-01-${String(night).padStart(2, "0")}T03-00-00Z.${end}`,
        ),
        new Uint8Array(1),
        { contentType: "text/plain" },
      );
  const before = await keys();
  await expect(backUp(changes)).rejects.toThrow(/away|full|did not return/);
  expect(await keys()).toEqual(expect.arrayContaining(before));
  vodkeep.clock.advance(DAY_MS);
  await backUp();
  const after = await keys();
  expect(after).toHaveLength(2 * KEPT_BACKUPS);
  expect(after.slice(0, -2)).toEqual(before.slice(2));
  expect(await vodkeep.platform.objects.head(FOREIGN)).not.toBeNull();
  expect(await vodkeep.platform.objects.listMultiparts()).toEqual([]);
});

test("a backup is due once a night, whatever the clock did", () => {
  for (const [newest, now, expected] of [
    [null, "2026-11-20T00:00Z", true],
    ["2026-11-20T03:00Z", "2026-11-21T02:59Z", false],
    ["2026-11-20T03:00Z", "2026-11-21T03:00Z", true],
    ["2036-11-20T03:00Z", "2026-11-20T04:00Z", true],
  ] as const)
    expect(isDue(newest === null ? null : Date.parse(newest), Date.parse(now))).toBe(expected);
});
