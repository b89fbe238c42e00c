import { afterEach, beforeEach, expect, test } from "vitest";
import { hash } from "node:crypto";
import { openSqliteDatabase, type SqliteDatabase } from "#hosts/node/database.ts";
import { migrate } from "#service/db/migrate.ts";
import { sql } from "#service/db/sql.ts";
import type { Digests } from "#service/ports/digests.ts";
import { createKeyring } from "#service/secrets/keyring.ts";
import { createSigner } from "#service/secrets/signer.ts";
import {
  type AuditChain,
  contentRow,
  createAuditChain,
  ORIGIN_SEAL,
  SEALED_COLUMNS,
  sealOf,
} from "./audit-chain.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";

const digests: Digests = {
  sha256: async (bytes) => hash("sha256", bytes),
  md5: async (bytes) => hash("md5", bytes),
};

const OLD_KEY = "a key for tests, not for keeping";
const NEW_KEY = "another key for tests, not to keep";

let database: SqliteDatabase;
let chain: AuditChain;
let faults: string[];

beforeEach(async () => {
  database = openSqliteDatabase(":memory:");
  await migrate(database, 0);
  faults = [];
  chain = await openChain(OLD_KEY);
});
afterEach(() => database.close());

/** A chain as after a restart: it has seen no seal yet. */
async function openChain(key: string, previous?: string): Promise<AuditChain> {
  return createAuditChain(
    {
      platform: { database, digests },
      log: { error: (message) => void faults.push(message) },
    },
    await createSigner(
      createKeyring({ SECRET_KEY: key, SECRET_KEY_PREVIOUS: previous }),
      "audit log",
    ),
  );
}

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

/** Runs a statement that the service never runs, as someone with write access to the file could. */
async function tamper(statement: string): Promise<void> {
  for (const trigger of ["audit_kept", "audit_unchanged"])
    await database.run({ sql: `DROP TRIGGER IF EXISTS ${trigger}`, values: [] });
  await database.run({ sql: statement, values: [] });
}

test("an unmodified log verifies, across batches and as it grows", async () => {
  expect(await chain.verify()).toEqual({
    verified: true,
    entries: 0,
    firstBrokenSeq: null,
    head: null,
    keyReplaced: null,
  });
  await write(620);
  expect(await chain.verify()).toMatchObject({ verified: true, entries: 620 });
  await write(3);
  expect(await chain.verify()).toMatchObject({
    verified: true,
    entries: 623,
    head: { seq: 623 },
  });
});

test("the database rejects changes to entries, except to their addresses and counts", async () => {
  await write(2);
  for (const statement of ["UPDATE audit SET reason = 'other'", "DELETE FROM audit"])
    await expect(database.run({ sql: statement, values: [] })).rejects.toThrow("never");
  await database.run(sql`UPDATE audit SET address = '192.0.2.7', count = 2`);
  expect(await chain.verify()).toMatchObject({ verified: true, entries: 2 });
});

test.each([
  ["an edited entry", ["UPDATE audit SET actor_id = '1002' WHERE seq = 511"], 511],
  ["an edited timestamp", ["UPDATE audit SET at = at + 1 WHERE seq = 1"], 1],
  ["a removed entry", ["DELETE FROM audit WHERE seq = 77"], 77],
  ["a removed last entry", ["DELETE FROM audit WHERE seq = 530"], 530],
  [
    "an edited entry without the seals after it",
    [
      "UPDATE audit SET actor_id = '1002' WHERE seq = 2",
      "UPDATE audit SET seal = NULL WHERE seq >= 2",
    ],
    2,
  ],
  ["an end removed with its seals", ["DELETE FROM audit WHERE seq > 520"], 521],
  [
    "an end removed with its seals, with the mark moved",
    [
      "DELETE FROM audit WHERE seq > 520",
      `UPDATE audit_marks SET seq = 520,
        hash = (SELECT seal FROM audit ORDER BY seq DESC LIMIT 1)`,
    ],
    520,
  ],
  ["a removed mark", ["DELETE FROM audit_marks"], 530],
  [
    "a beginning removed as if by retention",
    [
      "INSERT INTO audit_marks SELECT 'checkpoint', seq, seal, 'x' FROM audit WHERE seq = 9",
      "DELETE FROM audit WHERE seq <= 9",
    ],
    9,
  ],
])("%s is detected after a restart", async (_, statements, seq) => {
  await write(530);
  await chain.seal();
  for (const statement of statements) await tamper(statement);
  const restarted = await openChain(OLD_KEY);
  expect(await restarted.verify()).toMatchObject({ verified: false, firstBrokenSeq: seq });
});

test("an edited entry is detected even if all seals are recomputed without the key", async () => {
  await write(5);
  await chain.seal();
  await tamper("UPDATE audit SET actor_id = '1002' WHERE seq = 2");
  await resealWithoutKey();
  expect(await (await openChain(OLD_KEY)).verify()).toMatchObject({
    verified: false,
    firstBrokenSeq: 5,
  });
});

test("neither a running nor a restarted sealer seals tampered entries", async () => {
  await write(5);
  await chain.seal();
  await tamper("UPDATE audit SET actor_id = '1002' WHERE seq = 2");
  await tamper("UPDATE audit SET seal = NULL WHERE seq >= 2");
  await write(3);
  for (const sealer of [chain, await openChain(OLD_KEY)]) {
    await sealer.seal();
    expect(await sealer.verify()).toMatchObject({ verified: false, firstBrokenSeq: 2 });
  }
});

test("a rollback of the log is detected by a process that saw a later state", async () => {
  await write(5);
  await chain.seal();
  const [mark] = await database.all(sql`SELECT * FROM audit_marks`);
  await write(5);
  await chain.seal();
  await tamper("DELETE FROM audit WHERE seq > 5");
  await database.run(sql`
    UPDATE audit_marks SET seq = 5, hash = ${mark?.hash ?? null}, signature = ${mark?.signature ?? null}`);
  expect(await chain.verify()).toMatchObject({ verified: false, firstBrokenSeq: 10 });
  await write(1);
  expect(await chain.seal()).toBe(0);
  expect(faults.join()).toContain("older than one that was seen before");
});

test("the log verifies with a rotated SECRET_KEY but not with an unrelated one", async () => {
  await write(3);
  await chain.seal();
  await (await openChain(NEW_KEY, OLD_KEY)).seal();
  expect(await (await openChain(NEW_KEY)).verify()).toMatchObject({ verified: true, entries: 3 });
  const stranger = await openChain("a third key for tests, not to keep");
  expect(await stranger.verify()).toMatchObject({ verified: false, firstBrokenSeq: 3 });
  expect(await stranger.seal()).toBe(0);
});

test("seals without a signature are not continued", async () => {
  await write(4);
  await resealWithoutKey();
  expect(await chain.seal()).toBe(0);
  expect(await chain.verify()).toMatchObject({ verified: false, firstBrokenSeq: 4 });
  expect(faults.join()).toContain("signed seal is gone");
});

test("once all seals and marks are removed, a new key seals the remaining entries", async () => {
  await write(30);
  await chain.prune(20);
  await tamper("UPDATE audit SET seal = NULL");
  await tamper("DELETE FROM audit_marks");
  const rekeyed = await openChain(NEW_KEY);
  expect(await rekeyed.seal()).toBe(10);
  expect(await rekeyed.verify()).toMatchObject({ verified: true, entries: 10 });
});

test("old entries are pruned up to a signed checkpoint, and the rest still verifies", async () => {
  await write(1_200);
  expect(await chain.prune(1_100)).toBe(1_100);
  expect(await database.all(sql`SELECT count(*) AS n, min(seq) AS first FROM audit`)).toEqual([
    { n: 100, first: 1_101 },
  ]);
  expect(await (await openChain(OLD_KEY)).verify()).toMatchObject({ verified: true, entries: 100 });
  expect(await chain.prune(5_000)).toBe(99);
  await write(2);
  expect(await chain.verify()).toMatchObject({ verified: true, entries: 3 });
});

test("old entries that fail verification are not pruned", async () => {
  await write(20);
  await chain.seal();
  await tamper("UPDATE audit SET actor_id = '1002' WHERE seq = 7");
  expect(await chain.prune(15)).toBe(0);
  expect(faults.join()).toContain("do not verify and are kept");
});

test("an entry inserted between others is detected", async () => {
  await write(3);
  await database.run(sql`
    INSERT INTO audit (seq, at, action, result) VALUES (10, 0, 'upload.retry', 'done')`);
  await chain.seal();
  await database.run(sql`
    INSERT INTO audit (seq, at, action, result) VALUES (7, 0, 'upload.delete', 'done')`);
  expect(await chain.verify()).toMatchObject({ verified: false, firstBrokenSeq: 7 });
});

test("concurrent sealers write a single valid chain", async () => {
  await write(40);
  const others = await Promise.all([1, 2, 3].map(() => openChain(OLD_KEY)));
  await Promise.all([chain, ...others].map((each) => each.seal()));
  expect(await chain.verify()).toMatchObject({ verified: true, entries: 40 });
  expect(faults).toEqual([]);
});

/** Rewrites the seals, as someone who knows this code and can write the database could. */
async function resealWithoutKey(): Promise<void> {
  await tamper("UPDATE audit SET seal = NULL");
  let seal = ORIGIN_SEAL;
  const rows = await database.all(sql`SELECT ${SEALED_COLUMNS} FROM audit a ORDER BY a.seq`);
  for (const row of rows) {
    const content = contentRow.parse(row);
    seal = await sealOf(digests, seal, content);
    await database.run(sql`UPDATE audit SET seal = ${seal} WHERE seq = ${content.seq}`);
  }
}
