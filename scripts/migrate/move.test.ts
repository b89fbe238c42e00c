import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { createOutgoingFetch } from "#hosts/node/outgoing-fetch.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import { objectKeySchema } from "#contract/files.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import { startTestAccount, type TestAccount } from "../testing/cloudflare-account.ts";
import { contentsOf, rowsAt } from "../testing/contents.ts";
import { fillFolder, type FilledFolder } from "../testing/filled-folder.ts";
import { openAccount } from "./account-destination.ts";
import { claim, finish, sourceIdentity } from "./destination-claim.ts";
import type { Destination } from "./destination.ts";
import { move, planMove } from "./move.ts";
import { listTables } from "./table-list.ts";

const SILENT = { objects: () => undefined, rows: () => undefined };
const NOW_MS = Date.UTC(2026, 10, 20);

let temporary: Awaited<ReturnType<typeof makeTemporaryFolder>>;
let folder: FilledFolder;
const outgoing = createOutgoingFetch();
let account: TestAccount;
let destination: Destination;

beforeAll(async () => {
  temporary = await makeTemporaryFolder();
  folder = await fillFolder(temporary.path);
});
afterAll(async () => {
  await folder.close();
  await outgoing.close();
  await temporary.remove();
});

beforeEach(async () => {
  account = await startTestAccount();
  destination = await openDestination();
});
afterEach(() => account.close());

function openDestination(): Promise<Destination> {
  return openAccount(account.settings, {
    fetch: outgoing.fetch,
    clock: systemClock,
    random: systemRandom,
    digests: folder.digests,
  });
}

async function here(): Promise<unknown> {
  const { tables } = await listTables(folder.database);
  const all = (text: string) => folder.database.all({ sql: text, values: [] });
  return await contentsOf(tables, all, folder.objects);
}

async function there(): Promise<unknown> {
  const { tables } = await listTables(folder.database);
  return await contentsOf(tables, (text) => rowsAt(destination, text), destination.objects);
}

/** Each move writes about 40 MB and reads them back. */
const TIMEOUT_MS = 120_000;

describe("moving a node host's data to Cloudflare", { timeout: TIMEOUT_MS }, () => {
  test("every row and object is there afterwards, the same as here, and is found by search", async () => {
    const plan = await planMove(folder, destination);
    const report = await moving();
    expect(await there()).toEqual(await here());
    expect(report).toMatchObject({ objects: plan.objects, objectsCopied: plan.objects });
    expect(report.tables.reduce((sum, { rows }) => sum + rows, 0)).toBe(plan.rows);

    const search = "SELECT rowid FROM upload_trigrams WHERE upload_trigrams MATCH 'speedrun'";
    const [found, scan] = await destination.database.query([
      { sql: search },
      { sql: "SELECT prefix, cursor FROM store_scan" },
    ]);
    expect(found?.length).toBeGreaterThan(0);
    expect(found).toEqual(await folder.database.all({ sql: search, values: [] }));
    // A position in the folder's listing is meaningless in the bucket.
    expect(scan).toEqual([{ prefix: 0, cursor: null }]);
  });

  test("a dry run changes nothing", async () => {
    const plan = await planMove(folder, destination);
    expect(plan).toMatchObject({ standing: { state: "empty" }, objects: 4 });
    expect(account.writes()).toBe(0);
    const [tables] = await destination.database.query([
      { sql: "SELECT name FROM sqlite_master WHERE name NOT LIKE '|_cf%' ESCAPE '|'" },
    ]);
    expect(tables).toEqual([]);
  });

  test("a move that was cut off at its end copies nothing a second time", async () => {
    await moving();
    await destination.database.query([{ sql: "UPDATE moves SET finished_at = NULL" }]);
    const writes = account.writes();
    const again = await moving();
    expect(again.objectsCopied).toBe(0);
    expect(again.tables.filter(({ pagesWritten }) => pagesWritten > 0)).toEqual([]);
    expect(account.writes()).toBe(writes);
  });

  test("rows and objects that changed between two tries are brought up to date", async () => {
    await moving();
    const [key] = (await folder.objects.list({})).objects.map((head) => head.key);
    await destination.objects.put(objectKeySchema.parse(key), new Uint8Array(0), {
      contentType: "text/plain",
    });
    await destination.database.query([
      { sql: "UPDATE moves SET finished_at = NULL" },
      { sql: "UPDATE uploads SET status = 'pending', title = 'Other' WHERE id = 'seed3'" },
      { sql: "DELETE FROM logs" },
      { sql: "INSERT INTO logs (seq, level, at, message) VALUES (99, 'info', 1, 'Not ours')" },
    ]);
    await moving();
    expect(await there()).toEqual(await here());
  });

  test("an object that arrives with other bytes ends the move", async () => {
    const { objects } = destination;
    const flipping: ObjectStore = {
      ...objects,
      put: (key, body, options) =>
        objects.put(
          key,
          body.map((byte) => byte ^ 1),
          options,
        ),
    };
    await expect(
      move(folder, { ...destination, objects: flipping }, SILENT, NOW_MS),
    ).rejects.toThrow(/differs at Cloudflare/);
  });
});

function moving() {
  return move(folder, destination, SILENT, NOW_MS);
}

describe("a destination is refused", () => {
  test("when a Worker has been at work there", async () => {
    await destination.database.query([{ sql: "CREATE TABLE users (id TEXT)" }]);
    await expect(moving()).rejects.toThrow(/is in use already/);
  });

  test("when the bucket has objects", async () => {
    const key = objectKeySchema.parse("vods/1/2/3.ts");
    await destination.objects.put(key, new Uint8Array(1), { contentType: "video/mp2t" });
    await expect(moving()).rejects.toThrow(/has objects already, vods\/1\/2\/3.ts for one/);
  });

  test("when another folder's data is there", async () => {
    await claim(destination, "another folder");
    await expect(moving()).rejects.toThrow(/from another folder/);
  });

  test("when its data was moved before: from then on it belongs to the service", async () => {
    await claim(destination, await sourceIdentity(folder.database));
    await finish(destination, NOW_MS);
    await expect(moving()).rejects.toThrow(/moved before/);
  });

  test("when a newer version made it", async () => {
    await claim(destination, await sourceIdentity(folder.database));
    await destination.database.query([
      { sql: "CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL)" },
      { sql: "INSERT INTO migrations VALUES ('9999-future', 1)" },
    ]);
    await expect(moving()).rejects.toThrow(/newer Vodkeep, which knows 9999-future/);
  });
});
