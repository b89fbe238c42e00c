import { afterEach, beforeEach, expect, test } from "vitest";
import { createHash } from "node:crypto";
import { openSqliteDatabase, type SqliteDatabase } from "#hosts/node/database.ts";
import { migrate } from "#service/db/migrate.ts";
import { sql } from "#service/db/sql.ts";
import type { Digests } from "#service/ports/digests.ts";
import { sealAudit, verifyChain } from "./audit-chain.ts";
import { auditEntry } from "./audit-entry.ts";

const digests: Digests = {
  sha256: async (bytes) => createHash("sha256").update(bytes).digest("hex"),
  md5: async (bytes) => createHash("md5").update(bytes).digest("hex"),
};

let database: SqliteDatabase;

beforeEach(async () => {
  database = openSqliteDatabase(":memory:");
  await migrate(database, 0);
});
afterEach(() => database.close());

async function write(entries: number): Promise<void> {
  for (let index = 0; index < entries; index += 1)
    await database.run(
      auditEntry({
        atMs: index,
        actorId: "1001",
        action: "upload.retry",
        target: `u${index}`,
        result: index % 3 === 0 ? "refused" : "done",
        reason: 'said "no"\u0000 and\nmore',
        before: { status: "failed" },
        after: { status: "pending", nested: [1, null, "ж"] },
      }),
    );
}

/** What whoever owns the file can do, and no statement of ours. */
async function tamper(statement: string): Promise<void> {
  for (const trigger of ["audit_kept", "audit_unchanged"])
    await database.run({ sql: `DROP TRIGGER IF EXISTS ${trigger}`, values: [] });
  await database.run({ sql: statement, values: [] });
}

test("an untouched log verifies, across batches and while it grows", async () => {
  expect(await verifyChain({ database, digests })).toEqual({
    verified: true,
    entries: 0,
    firstBrokenSeq: null,
  });
  await write(620);
  expect(await verifyChain({ database, digests })).toMatchObject({ verified: true, entries: 620 });
  await write(3);
  expect(await verifyChain({ database, digests })).toMatchObject({ verified: true, entries: 623 });
});

test("the database refuses to change or delete entries and seals", async () => {
  await write(2);
  await sealAudit({ database, digests });
  for (const statement of [
    "UPDATE audit SET reason = 'other'",
    "DELETE FROM audit",
    "UPDATE audit_seals SET hash = 'other'",
    "DELETE FROM audit_seals",
  ])
    await expect(database.run({ sql: statement, values: [] })).rejects.toThrow("never");
});

test.each([
  ["an edited entry", "UPDATE audit SET actor_id = '1002' WHERE seq = 511", 511],
  ["an edited instant", "UPDATE audit SET at = at + 1 WHERE seq = 1", 1],
  ["a removed entry", "DELETE FROM audit WHERE seq = 77", 77],
  ["a removed last entry", "DELETE FROM audit WHERE seq = 530", 530],
])("%s is found", async (_, statement, seq) => {
  await write(530);
  await sealAudit({ database, digests });
  await tamper(statement);
  expect(await verifyChain({ database, digests })).toMatchObject({
    verified: false,
    firstBrokenSeq: seq,
  });
});

test("an entry that was slipped in between others is found", async () => {
  await write(3);
  await database.run(sql`
    INSERT INTO audit (seq, at, action, result) VALUES (10, 0, 'upload.retry', 'done')`);
  await sealAudit({ database, digests });
  await database.run(sql`
    INSERT INTO audit (seq, at, action, result) VALUES (7, 0, 'upload.delete', 'done')`);
  expect(await verifyChain({ database, digests })).toMatchObject({
    verified: false,
    firstBrokenSeq: 7,
  });
});

test("two sealers at once write one and the same chain", async () => {
  await write(40);
  await Promise.all([1, 2, 3].map(() => sealAudit({ database, digests })));
  expect(await verifyChain({ database, digests })).toMatchObject({ verified: true, entries: 40 });
});
