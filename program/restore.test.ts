import { spawn } from "node:child_process";
import { hash } from "node:crypto";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { takeDataFolder } from "#hosts/node/data-folder.ts";
import type { SqliteDatabase } from "#hosts/node/database.ts";
import { run } from "#hosts/node/testing/run.ts";
import { type AuditChain, createAuditChain } from "#service/audit/audit-chain.ts";
import { AUDIT_LOG, replaceKey } from "#service/audit/key-replacement.ts";
import { sql } from "#service/db/sql.ts";
import { fingerprintOf } from "#service/secrets/key-fingerprint.ts";
import { createKeyring } from "#service/secrets/keyring.ts";
import { createSigner } from "#service/secrets/signer.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { NIGHTS, openRestoreFolder, type RestoreFolder } from "./testing/restore-folder.ts";

const KEY = "a key for tests, not for keeping";
const OTHER_KEY = "another key for tests, not to keep";

const DIGESTS = {
  sha256: async (bytes: Uint8Array) => hash("sha256", bytes),
  md5: async (bytes: Uint8Array) => hash("md5", bytes),
};

let folder: RestoreFolder;
beforeEach(async () => {
  folder = await openRestoreFolder();
});
afterEach(() => folder.remove());

async function completed(): Promise<unknown[]> {
  const found = sql`SELECT id FROM uploads WHERE status = 'completed'`;
  return (await folder.withDatabase((database) => database.all(found))).map(({ id }) => id);
}

test("says what would be missing, and restores with --yes", async () => {
  const { code, said } = await folder.restore();
  expect(code).toBe(EXIT_CODES.done);
  expect(said).toMatch(/^The backup of 2026-11-26T03:00:00Z: its SHA-256 is right\.$/m);
  expect(said).toMatch(/^It has 1 uploads, 1 files and 1 users, and no sessions\.$/m);
  expect(said).toMatch(/^Completed since, and missing until vodkeep rebuild-index: 1 uploads\.$/m);
  expect(said).toMatch(
    /^Files that it names and the store lacks: 1\.\n {2}vods\/1005\/1\/old\.ts$/m,
  );
  expect(said).toMatch(/^Nothing is changed\./m);
  expect(await completed()).toEqual(["old", "new"]);

  await folder.withDatabase((database) =>
    database.run(sql`INSERT INTO sessions (id, user_id, cookie_hash, bearer_hash,
        bearer_expires_at, created_at, last_seen_at, expires_at)
      SELECT 'live', id, 'c', 'b', 9e15, 0, 0, 9e15 FROM users LIMIT 1`),
  );
  const agreed = await folder.restore("--from", `${NIGHTS[0]}Z`, "--yes");
  const [, aside = ""] = /The former database is (\S+)\.$/m.exec(agreed.said) ?? [];
  expect(await completed()).toEqual(["old"]);
  // The way back, from a plain file, which still has its session.
  expect(await folder.restore("--from", join(folder.path, aside), "--yes")).toMatchObject({
    code: 0,
  });
  expect(await completed()).toEqual(["old", "new"]);
  const live = sql`SELECT id FROM sessions`;
  expect(await folder.withDatabase((database) => database.all(live))).toEqual([]);
});

test("misses the secret key before anything changes, and goes on without it when asked", async () => {
  const sealedWith = await fingerprintOf(KEY);
  await folder.withDatabase(async (database) => {
    await database.run(sql`UPDATE deployment SET deployment_id = 'here'`);
    await replaceKey(database, KEY, { cause: "command", atMs: 0 });
    await (await chainOf(database, KEY)).seal();
  });
  await folder.backUp("2026-11-27T03-00-00");
  const lacks = `The database was sealed with the secret key ${sealedWith}, and there is none here`;
  expect((await folder.restore()).said).toContain(lacks);
  const before = readFileSync(join(folder.path, "vodkeep.db"));
  const refusal = await folder.restore("--yes");
  expect(refusal.said).toContain(lacks);
  expect(refusal.code).toBe(EXIT_CODES.settings);
  expect(readFileSync(join(folder.path, "vodkeep.db"))).toEqual(before);
  expect(existsSync(join(folder.path, "secret-key"))).toBe(false);
  // At a terminal `recover` asks for it.
  const recover = `"${process.execPath}" program/main.ts recover`;
  for (const typed of [OTHER_KEY, KEY]) {
    expect(existsSync(join(folder.path, "secret-key"))).toBe(false);
    const terminal = `echo "${typed}" | script -qec '${recover}' /dev/null`;
    const { stdout } = await run("sh", ["-c", terminal], { DATA_DIR: folder.path });
    expect(stdout).toContain(`The secret key ${sealedWith}, which sealed the database: `);
  }
  expect(readFileSync(join(folder.path, "secret-key"), "utf8")).toBe(`${KEY}\n`);
  await rm(join(folder.path, "secret-key"));
  expect(await folder.restoreWith({ SECRET_KEY: KEY }, "--yes")).toMatchObject({ code: 0 });

  expect(await folder.restoreWith({ SECRET_KEY: OTHER_KEY }, "--yes", "--new-key")).toMatchObject({
    code: 0,
  });
  const verification = await folder.withDatabase(async (database) =>
    (await chainOf(database, OTHER_KEY)).verify(),
  );
  expect(verification).toMatchObject({ verified: true, keyReplaced: { cause: "restore" } });
});

async function chainOf(database: SqliteDatabase, key: string): Promise<AuditChain> {
  const keyring = createKeyring({ SECRET_KEY: key, SECRET_KEY_PREVIOUS: undefined });
  return createAuditChain(
    { platform: { database, digests: DIGESTS }, log: { error: console.error } },
    await createSigner(keyring, AUDIT_LOG),
  );
}

const FOREIGN = "AFTER INSERT ON users BEGIN DELETE FROM audit_marks; END";

type Refusal = [string, () => Promise<unknown> | void, readonly string[], number, RegExp];

function changedSchema(what: string, name: string, ...texts: readonly string[]): Refusal {
  const change = async () => {
    await folder.withDatabase((database) =>
      database.batch(texts.map((text) => ({ sql: text, values: [] }))),
    );
    await folder.backUp("2026-11-27T03-00-00");
  };
  const said = new RegExp(`^Its ${name} is none of Vodkeep's`);
  return [what, change, ["--yes"], EXIT_CODES.mismatch, said];
}

test.each<Refusal>([
  [
    "no such backup",
    () => undefined,
    ["--from", "2020-01-01T03-00-00Z"],
    EXIT_CODES.notFound,
    /are: 2026-11-26T03-00-00Z, 2026-11-25T03-00-00Z\.$/m,
  ],
  [
    "a damaged one",
    () =>
      folder.backUp("2026-11-27T03-00-00", (bytes) =>
        bytes.writeUInt8(bytes.readUInt8(99) ^ 1, 99),
      ),
    ["--yes"],
    EXIT_CODES.mismatch,
    /^The backup of 2026-11-27T03:00:00Z /,
  ],
  [
    "a file that is no database",
    () => writeFileSync(join(folder.path, "x.db"), "x".repeat(5_000)),
    ["--from", "x.db", "--yes"],
    EXIT_CODES.mismatch,
    / is damaged\. SQLite finds it damaged: file is not a database\.$/m,
  ],
  [
    "an empty file",
    () => writeFileSync(join(folder.path, "x.db"), ""),
    ["--from", "x.db", "--yes"],
    EXIT_CODES.mismatch,
    /^It is no database of Vodkeep\.$/m,
  ],
  [
    "one that is longer than its .json says",
    () => {
      writeFileSync(join(folder.path, "x.db.gz"), gzipSync("x".repeat(5_000)));
      const facts = {
        sizeBytes: 10,
        sha256: "",
        schema: "",
        uploads: 1,
        files: 1,
        auditHead: null,
      };
      writeFileSync(join(folder.path, "x.json"), JSON.stringify(facts));
    },
    ["--from", "x.db.gz", "--yes"],
    EXIT_CODES.mismatch,
    / is damaged\. It is longer than the 10 bytes that it had\.$/m,
  ],
  [
    "one that would fill the disk",
    () => writeFileSync(join(folder.path, "x.db.gz"), gzipSync(Buffer.alloc(80 * 1024 * 1024))),
    ["--from", "x.db.gz", "--yes"],
    EXIT_CODES.mismatch,
    / is damaged\. It unpacks to more than 67108864 bytes\.$/m,
  ],
  changedSchema("one with a foreign trigger", "stray", `CREATE TRIGGER stray ${FOREIGN}`),
  changedSchema(
    "one with a trigger of Vodkeep's that does something else",
    "audit_kept",
    "DROP TRIGGER audit_kept",
    `CREATE TRIGGER audit_kept ${FOREIGN}`,
  ),
  changedSchema("one with a foreign view", "stray", "CREATE VIEW stray AS SELECT 1"),
  [
    "one of a newer version",
    async () => {
      await folder.withDatabase((database) =>
        database.run(
          sql`INSERT INTO migrations (name, applied_at, version) VALUES ('9999-x', 0, '9.1.0')`,
        ),
      );
      await folder.backUp("2026-11-27T03-00-00");
    },
    ["--yes"],
    EXIT_CODES.settings,
    /start Vodkeep 9\.1\.0 or later/,
  ],
])("refuses %s and changes nothing", async (_what, prepare, args, code, said) => {
  await prepare();
  const before = readFileSync(join(folder.path, "vodkeep.db"));
  const paths = args.map((arg) => (/\.db(\.gz)?$/.test(arg) ? join(folder.path, arg) : arg));
  const refusal = await folder.restore(...paths);
  expect(refusal.said).toMatch(said);
  expect(refusal.code).toBe(code);
  expect(readFileSync(join(folder.path, "vodkeep.db"))).toEqual(before);
});

test.each([[[]], [["--yes"]]])(
  "leaves nothing behind when it is ended in the middle, %j",
  async (flags) => {
    const pipe = join(folder.path, "x.db");
    await run("sh", ["-c", `mkfifo "${pipe}"`]);
    const held = openSync(pipe, "r+");
    const child = spawn(
      process.execPath,
      ["program/main.ts", "restore", "--from", pipe, ...flags],
      {
        env: { DATA_DIR: folder.path, TMPDIR: folder.path },
      },
    );
    const ended = once(child, "exit");
    const left = () =>
      readdirSync(folder.path, { encoding: "utf8", recursive: true }).filter((name) =>
        name.includes("restore"),
      );
    await expect.poll(() => left().at(-1)).toMatch(/\.restored$/);
    child.kill("SIGTERM");
    expect(await ended).toEqual([null, "SIGTERM"]);
    expect(left()).toEqual([]);
    closeSync(held);
  },
);

test("looks beside a running service and where nothing is, and changes only what it was told to", async () => {
  const held = takeDataFolder(folder.path);
  writeFileSync(join(folder.path, "objects/~new/part"), "");
  const before = readdirSync(folder.path, { recursive: true });
  const look = await folder.restore();
  const refusal = await folder.restore("--yes");
  held.release();
  expect(look.said).toMatch(/^Nothing is changed\./m);
  expect(refusal.said).toMatch(/is in use by another Vodkeep process/);
  expect(refusal.code).toBe(EXIT_CODES.failed);
  expect(readdirSync(folder.path, { recursive: true })).toEqual(before);

  const missing = join(folder.path, "nowhere");
  const nothing = await folder.restoreWith({ DATA_DIR: missing });
  expect(nothing).toMatchObject({
    code: EXIT_CODES.notFound,
    said: expect.stringMatching(/has no backup\.$/m),
  });
  expect(existsSync(missing)).toBe(false);
});
