import { expect, test } from "vitest";
import { openSqliteDatabase } from "#hosts/node/database.ts";
import type { Database } from "#service/ports/database.ts";
import { digestsOfMigrations, migrate, MIGRATIONS } from "./migrate.ts";
import { sql } from "./sql.ts";

/** Changing a step would leave databases without the change that have applied it: add a step. */
const APPLIED: Readonly<Record<string, string>> = {
  "0001-accounts": "23bdf31ba90a28e3",
  "0002-uploads": "5e701c4e5bf4bc10",
  "0003-files": "ed299f7bd953bbe0",
  "0004-operation": "c769b2e68f380281",
  "0005-notifications": "96f8f9dcbbcd3a21",
  "0006-lists": "0e233c98690a40eb",
  "0007-system-history": "588197d76fb94aad",
  "0008-fewer-tables": "51fe1e9998ad0b3e",
  "0009-quality": "741eced07b3227a5",
  "0010-chats": "36687b076ecce4cc",
  "0011-recorded-at": "093a389ae3b49b7d",
  "0012-source-checks": "93c857f3abff1eee",
  "0013-consents": "343736934d366ab0",
  "0014-unsealed-parts": "fc56f7774cc80695",
  "0015-unasked-owners": "fd52f854259da5b1",
  "0016-late-extras": "861cd49dc3d13403",
  "0017-twitch-fingerprint": "c0ccba32568e34dd",
  "0018-chat-tails": "428eb51ac51fb93a",
  "0019-migration-digests": "82fa517a16e97525",
  "0020-alert-limits": "c47640e6d91fd4fc",
  "0021-store-states": "fce0553acde74965",
  "0022-lost-starts": "3b7dd866ea9c8f66",
  "0023-verification": "03e12aa3bd54110d",
  "0024-live-broadcasts": "9fa6d4b68989d418",
  "0025-chat-erasures": "d5167290c3df9874",
  "0026-file-orders": "444e08d4071faf2d",
  "0027-rights-confirmations": "bb6aca880e7d868d",
  "0028-dismissals": "aa29315dedaae090",
  "0029-notification-windows": "00d19bbe4290f14c",
  "0030-audit-times": "591a2db8a2995e81",
  "0031-channels": "849f05d69d7fc478",
  "0032-vods": "3d8207071831b8aa",
  "0033-queue-order": "a9a56ebf017b159e",
  "0034-trash": "bf4658581b2668f8",
  "0035-api-tokens": "d9923ff298e9d9bd",
  "0036-webhooks": "fb7c1d187bcaf347",
  "0037-step-versions": "ec78eae2dbf1f02f",
  "0038-backups": "3b6f2803fc87b6e1",
  "0039-audit-names": "b59bf9626772506c",
  "0046-chat-dates": "ab5a08b08a8f2d0b",
};

test("steps that databases have applied are as they were", async () => {
  expect(Object.fromEntries(await digestsOfMigrations())).toEqual(APPLIED);
});

test.each([
  [
    "a newer step",
    `INSERT INTO migrations (name, applied_at) VALUES ('9999-of-later', 0)`,
    /newer.+9999-of-later/,
  ],
  [
    "a newer step of a known version",
    `INSERT INTO migrations (name, applied_at, version) VALUES ('9999-of-later', 0, '9.1.0')`,
    /newer.+start Vodkeep 9\.1\.0 or later/,
  ],
  [
    "a foreign step",
    `UPDATE migrations SET name = '0003-objects' WHERE name = '0003-files'`,
    /another version.+0003-objects/,
  ],
  [
    "an edited step",
    `UPDATE migrations SET digest = 'ffff' WHERE name = '0003-files'`,
    /another version.+0003-files/,
  ],
  [
    "an edited and a newer step",
    `UPDATE migrations SET digest = 'ffff', name = '9999-of-later' WHERE name = '0002-uploads'`,
    /another version.+9999-of-later/,
  ],
])("a database with %s is refused unchanged", async (_what, change, sentence) => {
  const database = openSqliteDatabase(":memory:");
  await migrate(database, 0);
  await database.run({ sql: change, values: [] });
  const rows = () => database.all(sql`SELECT * FROM migrations ORDER BY name`);
  const before = await rows();
  await expect(migrate(database, 1)).rejects.toThrow(sentence);
  expect(await rows()).toEqual(before);
  await database.close();
});

test("a database from before digests were recorded gets them at the next start", async () => {
  const database = openSqliteDatabase(":memory:");
  await applyUntil(database, "0019-migration-digests");
  await migrate(database, 0);
  const rows = await database.all(sql`SELECT name, digest FROM migrations`);
  expect(Object.fromEntries(rows.map(({ name, digest }) => [name, digest]))).toEqual(APPLIED);
  await database.close();
});

test("two processes that start at the same time both succeed", async () => {
  const database = openSqliteDatabase(":memory:");
  await Promise.all([migrate(database, 0), migrate(database, 0)]);
  const applied = await database.all(sql`SELECT name FROM migrations ORDER BY name`);
  expect(applied.map(({ name }) => name)).toEqual(MIGRATIONS.map(({ name }) => name));
  await database.close();
});

test("a step that fails leaves the schema as it was, and is applied by the next start", async () => {
  const database = openSqliteDatabase(":memory:");
  await migrate(database, 0);
  await database.run(sql`DELETE FROM migrations WHERE name = '0008-fewer-tables'`);
  const schema = async () => database.all(sql`SELECT name, sql FROM sqlite_schema ORDER BY name`);
  const before = await schema();
  await expect(migrate(database, 0)).rejects.toThrow("previous_bearer_hash");
  expect(await schema()).toEqual(before);
  await database.close();
});

test("usage, sessions and what is left of parallel uploads survive the upgrade", async () => {
  const database = openSqliteDatabase(":memory:");
  await applyUntil(database, "0008-fewer-tables");
  await database.batch([
    sql`INSERT INTO users (id, login, display_name, created_at) VALUES ('1', 'a', 'A', 0)`,
    sql`INSERT INTO sessions (id, user_id, cookie_hash, bearer_hash, previous_bearer_hash,
        bearer_expires_at, created_at, last_seen_at, expires_at)
      VALUES ('s', '1', 'c', 'b', 'family', 1, 0, 0, 1)`,
    sql`INSERT INTO staged_uploads (id, owner_id, is_partial, filename, expires_at)
      VALUES ('st', '1', 1, 'f', 0)`,
    sql`INSERT INTO staged_pieces VALUES ('st', 0, 9, 'staged/st/0')`,
    sql`INSERT INTO usage_days (day, source, class_a_operations, updated_at)
      VALUES ('2026-11-20', 'metered', 7, 3), ('2026-11-20', 'reconciled', 8, 3)`,
  ]);
  await migrate(database, 0);
  expect(await database.all(sql`SELECT bearer_family_hash FROM sessions`)).toEqual([
    { bearer_family_hash: "family" },
  ]);
  expect(await database.all(sql`SELECT object_key FROM store_removals`)).toEqual([
    { object_key: "staged/st/0" },
  ]);
  expect(
    await database.all(sql`SELECT day, class_a_operations, egress_bytes FROM usage_days`),
  ).toEqual([{ day: "2026-11-20", class_a_operations: 7, egress_bytes: 0 }]);
  await database.close();
});

test("archives whose owner had only signed in are paused by the upgrade, and no others", async () => {
  const database = openSqliteDatabase(":memory:");
  await migrate(database, 0);
  await database.batch([
    sql`DELETE FROM migrations WHERE name = '0015-unasked-owners'`,
    sql`INSERT INTO users (id, login, display_name, created_at)
      VALUES ('1', 'a', 'A', 0), ('2', 'b', 'B', 0)`,
    sql`INSERT INTO consents (owner_id, text_version, agreed_at) VALUES ('2', 1, 0)`,
    ...[
      ["running", "1", "owner_signed_in", "processing"],
      ["done", "1", "owner_signed_in", "completed"],
      ["confirmed", "1", "administrator_confirmed", "processing"],
      ["agreed", "2", "owner_signed_in", "processing"],
    ].map(
      ([id = "", owner = "", rights = "", status = ""]) =>
        sql`INSERT INTO uploads (id, kind, filename, owner_id, rights, status, max_retries,
            created_at, updated_at)
          VALUES (${id}, 'twitch', 'f', ${owner}, ${rights}, ${status}, 3, 0, 0)`,
    ),
  ]);
  await migrate(database, 0);
  const paused = await database.all(sql`SELECT id, phase, epoch FROM uploads
    WHERE error_message LIKE '%was never asked for consent%'`);
  expect(paused).toEqual([{ id: "running", phase: "waiting", epoch: 1 }]);
  await database.close();
});

test("chats of earlier uploads are complete, missing or still to be read", async () => {
  const database = openSqliteDatabase(":memory:");
  await applyUntil(database, "0010-chats");
  await database.run(
    sql`INSERT INTO users (id, login, display_name, created_at) VALUES ('1', 'a', 'A', 0)`,
  );
  const add = (
    id: string,
    kind: string,
    status: string,
    phase: string | null,
    key: string | null,
  ) =>
    database.run(sql`INSERT INTO uploads (id, kind, filename, owner_id, rights, status, phase,
        max_retries, duration_sec, created_at, updated_at, chat_key)
      VALUES (${id}, ${kind}, 'f', '1', 'administrator_confirmed', ${status}, ${phase}, 3, 60, 0, 0,
        ${key})`);
  await add("stored", "twitch", "completed", null, "vods/1/2/stored.chat.json");
  await add("lost", "twitch", "completed", null, null);
  await add("running", "twitch", "processing", "chat", null);
  await add("sent", "manual", "completed", null, null);
  await migrate(database, 0);
  expect(
    await database.all(
      sql`SELECT upload_id, state, stored_until_sec FROM chats ORDER BY upload_id`,
    ),
  ).toEqual([
    { upload_id: "lost", state: "none", stored_until_sec: null },
    { upload_id: "running", state: "reading", stored_until_sec: null },
    { upload_id: "stored", state: "complete", stored_until_sec: 60 },
  ]);
  expect(await database.all(sql`SELECT id FROM uploads WHERE phase = 'chat'`)).toEqual([]);
  await database.close();
});

/** Applies the steps before the given one, as a version without the others did. */
async function applyUntil(database: Database, first: string): Promise<void> {
  const end = MIGRATIONS.findIndex(({ name }) => name === first);
  await database.run(sql`CREATE TABLE migrations (name TEXT PRIMARY KEY, applied_at INTEGER)`);
  for (const { name, statements } of MIGRATIONS.slice(0, end)) {
    await database.batch(statements.map((text) => ({ sql: text, values: [] })));
    await database.run(sql`INSERT INTO migrations (name, applied_at) VALUES (${name}, 0)`);
  }
}
