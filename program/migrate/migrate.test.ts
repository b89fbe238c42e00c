import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, expect, test } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { createLogSink } from "#hosts/node/log-sink.ts";
import { createS3Client } from "#hosts/node/s3-store/s3-client.ts";
import { createS3Store } from "#hosts/node/s3-store/s3-store.ts";
import { openNodePlatform, type NodePlatform } from "#hosts/node/platform.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { sql } from "#service/db/sql.ts";
import { readSettings } from "#service/settings.ts";
import { seedRows } from "../../scripts/seed-rows.ts";
import { importLocally, serveLocally } from "../../scripts/testing/local-cloudflare.ts";
import { compare } from "./compare.ts";
import { d1Query } from "../migrate.ts";
import { rowsSql } from "./rows-sql.ts";

const SEARCH = "SELECT rowid FROM upload_search WHERE upload_search MATCH 'speedrun'";
const OPTIONS = { contentType: "video/mp2t", metadata: {} };
const KEYS = [
  [0, objectKeySchema.parse("vods/1/2/a.ts")],
  [1, objectKeySchema.parse("vods/1/2/b.ts")],
  [70_000, objectKeySchema.parse("vods/1/2/c.ts")],
] as const;

let temporary: Awaited<ReturnType<typeof makeTemporaryFolder>>;
let host: NodePlatform;
let runtime: Awaited<ReturnType<typeof serveLocally>>;
let there: Parameters<typeof compare>[1];

beforeAll(async () => {
  temporary = await makeTemporaryFolder();
  const logs = createLogSink(systemClock, new PassThrough().resume());
  host = await openNodePlatform(readSettings({}), temporary.path, logs);
  const { database, objects } = host.platform;
  await seedRows(database, { users: 40, uploads: 60, files: 40 }, Date.UTC(2026, 5, 1), () => {});
  await database.batch([
    sql`INSERT INTO sessions (id, user_id, cookie_hash, bearer_hash, bearer_expires_at, created_at,
      last_seen_at, expires_at) VALUES ('s', '9000000003', 'c', 'b', 1, 1, 1, 1)`,
    sql`INSERT INTO audit (at, actor_id, action, target, result, before)
      VALUES (1, '9000000003', 'user.ban', 'someone', 'done', ${'{"text":"ä; „it\'s“ 🎬\u001f\n?1"}'})`,
    sql`INSERT INTO logs (level, at, message) SELECT 'info', value + 0.5, 'COMMIT; -- and'
      FROM json_each(${JSON.stringify([...Array(1_024).keys()])})`,
    sql`UPDATE users SET display_name = 'Renamed' WHERE id = '9000000004'`,
    sql`UPDATE deployment SET scan_prefix = 1, scan_cursor = 'of the folder'`,
  ]);
  const file = join(temporary.path, "rows.sql");
  writeFileSync(file, (await Array.fromAsync(rowsSql(database))).join(""));
  await importLocally(file, join(temporary.path, "cloudflare"));
  runtime = await serveLocally(join(temporary.path, "cloudflare"));
  const client = createS3Client({ ...runtime.s3, ...host.platform });
  const bucket = createS3Store(client, host.platform.digests, runtime.s3.address);
  there = { query: d1Query(runtime.databaseUrl, ""), objects: bucket };
  for (const [size, key] of KEYS)
    for (const store of [objects, there.objects])
      await store.put(key, new Uint8Array(size).fill(7), OPTIONS);
});
afterAll(async () => {
  await runtime.close();
  await host.quiesce();
  await host.close();
  await temporary.remove();
});

async function differing(): Promise<readonly string[]> {
  const compared = await Array.fromAsync(compare(host.platform, there));
  expect(compared.length).toBeGreaterThan(40);
  return compared.filter(({ isEqual }) => !isEqual).map(({ name }) => name);
}

test("rows imported by wrangler are equal and found by search", async () => {
  expect(await differing()).toEqual([]);
  const found = await there.query(SEARCH);
  expect(found.length).toBeGreaterThan(0);
  expect(found).toEqual(await host.platform.database.all({ sql: SEARCH, values: [] }));
  // A position in the folder's listing is meaningless in the bucket.
  expect(await there.query("SELECT scan_prefix, scan_cursor FROM deployment")).toEqual([
    { scan_prefix: 0, scan_cursor: null },
  ]);
});

test("a changed row, a damaged object and a missing object are reported", async () => {
  await there.query("UPDATE logs SET at = at + 1 WHERE seq = 1001");
  await there.objects.put(KEYS[2][1], new Uint8Array(70_000), OPTIONS);
  await there.objects.delete(KEYS[0][1]);
  expect(await differing()).toEqual(["logs", KEYS[0][1], KEYS[2][1]]);
});

test("rows are not imported into an existing database", async () => {
  const file = join(temporary.path, "rows.sql");
  await expect(importLocally(file, join(temporary.path, "cloudflare"))).rejects.toThrow(/exists/);
});
