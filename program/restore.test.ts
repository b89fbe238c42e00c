import { createHash, hash } from "node:crypto";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import process from "node:process";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { userIdSchema } from "#contract/ids.ts";
import { takeDataFolder } from "#hosts/node/data-folder.ts";
import { takeDatabaseSnapshot } from "#hosts/node/database-snapshot.ts";
import { openSqliteDatabase, type SqliteDatabase } from "#hosts/node/database.ts";
import { run, runVodkeep } from "#hosts/node/testing/run.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { type AuditChain, createAuditChain } from "#service/audit/audit-chain.ts";
import { AUDIT_LOG, replaceKey } from "#service/audit/key-replacement.ts";
import { backupKeys } from "#service/backups/stored-backups.ts";
import { migrate } from "#service/db/migrate.ts";
import { sql } from "#service/db/sql.ts";
import { fingerprintOf } from "#service/secrets/key-fingerprint.ts";
import { createKeyring } from "#service/secrets/keyring.ts";
import { createSigner } from "#service/secrets/signer.ts";
import { readSettings } from "#service/settings.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { eraseAgain } from "#service/users/erase-user.ts";
import { EXIT_CODES } from "./exit-codes.ts";
import { withObjectStore } from "./with-object-store.ts";

const NIGHTS = ["2026-11-25T03-00-00", "2026-11-26T03-00-00"] as const;

const KEY = "a key for tests, not for keeping";
const OTHER_KEY = "another key for tests, not to keep";

const DIGESTS = {
  sha256: async (bytes: Uint8Array) => hash("sha256", bytes),
  md5: async (bytes: Uint8Array) => hash("md5", bytes),
};

let folder: { path: string; remove(): Promise<void> };
beforeEach(async () => {
  folder = await makeTemporaryFolder();
  await withDatabase(async (database) => {
    await migrate(database, 0);
    await seedUpload(database, { id: "old", status: "completed" });
    await database.run(sql`INSERT INTO files (object_key, upload_id, user_id, filename, size_bytes,
        upload_type, status, content_type, last_modified_at)
      VALUES ('vods/1005/1/old.ts', 'old', '1005', 'old.ts', 3, 'twitch', 'complete', 'video/mp2t', 0)`);
  });
  for (const night of NIGHTS) await backUp(night);
  await withDatabase((database) => seedUpload(database, { id: "new", status: "completed" }));
});
afterEach(() => folder.remove());

async function withDatabase<T>(work: (database: SqliteDatabase) => Promise<T>): Promise<T> {
  const database = openSqliteDatabase(join(folder.path, "vodkeep.db"));
  const result = await work(database);
  await database.close();
  return result;
}

/** As the service does at night. */
async function backUp(night: string, damage: (bytes: Buffer) => void = () => undefined) {
  const copy = join(folder.path, "copy.db");
  takeDatabaseSnapshot(join(folder.path, "vodkeep.db"), copy);
  const data = gzipSync(readFileSync(copy));
  const facts = {
    sizeBytes: data.byteLength,
    sha256: createHash("sha256").update(data).digest("hex"),
    schema: "",
    uploads: 1,
    files: 1,
    auditHead: null,
  };
  damage(data);
  const keys = backupKeys(night);
  const text = new TextEncoder().encode(JSON.stringify(facts));
  await withObjectStore(readSettings({}), folder.path, fetch, async (store) => {
    await store.put(keys.data, data, { contentType: "application/gzip" });
    await store.put(keys.facts, text, { contentType: "application/json" });
  });
}

async function restore(...args: readonly string[]) {
  return await restoreWith({}, ...args);
}

async function restoreWith(settings: Record<string, string>, ...args: readonly string[]) {
  const end = await runVodkeep(["restore", ...args], { DATA_DIR: folder.path, ...settings });
  return { code: end.code, said: end.code === EXIT_CODES.done ? end.stdout : end.stderr };
}

async function completed(): Promise<unknown[]> {
  const found = sql`SELECT id FROM uploads WHERE status = 'completed'`;
  return (await withDatabase((database) => database.all(found))).map(({ id }) => id);
}

test("says what would be missing, and restores with --yes", async () => {
  const { code, said } = await restore();
  expect(code).toBe(EXIT_CODES.done);
  expect(said).toMatch(/^The backup of 2026-11-26T03:00:00Z: its SHA-256 is right\.$/m);
  expect(said).toMatch(/^It has 1 uploads, 1 files and 1 users, and no sessions\.$/m);
  expect(said).toMatch(/^Completed since, and missing until vodkeep rebuild-index: 1 uploads\.$/m);
  expect(said).toMatch(
    /^Files that it names and the store lacks: 1\.\n {2}vods\/1005\/1\/old\.ts$/m,
  );
  expect(said).toMatch(/^Nothing is changed\./m);
  expect(await completed()).toEqual(["old", "new"]);

  await withDatabase((database) =>
    database.run(sql`INSERT INTO sessions (id, user_id, cookie_hash, bearer_hash,
        bearer_expires_at, created_at, last_seen_at, expires_at)
      SELECT 'live', id, 'c', 'b', 9e15, 0, 0, 9e15 FROM users LIMIT 1`),
  );
  const agreed = await restore("--from", `${NIGHTS[0]}Z`, "--yes");
  const [, aside = ""] = /The former database is (\S+)\.$/m.exec(agreed.said) ?? [];
  expect(await completed()).toEqual(["old"]);
  // The way back, from a plain file, which still has its session.
  expect(await restore("--from", join(folder.path, aside), "--yes")).toMatchObject({ code: 0 });
  expect(await completed()).toEqual(["old", "new"]);
  const live = sql`SELECT id FROM sessions`;
  expect(await withDatabase((database) => database.all(live))).toEqual([]);
});

const IN_FORCE = sql`SELECT
  (SELECT group_concat(id) FROM api_tokens) AS tokens,
  (SELECT group_concat(owner_id) FROM consents WHERE withdrawn_at IS NULL) AS consents,
  (SELECT group_concat(owner_id) FROM consents WHERE withdrawn_at IS NOT NULL) AS withdrawn,
  (SELECT group_concat(owner_id || ' by ' || confirmed_by) FROM rights_confirmations) AS confirmed,
  (SELECT group_concat(user_id) FROM erased_chatters) AS chatters,
  (SELECT group_concat(id) FROM users WHERE banned_at IS NOT NULL) AS banned,
  (SELECT group_concat(display_name) FROM users WHERE id IN ('3', '8')) AS names,
  (SELECT permissions FROM users WHERE id = '1') AS permissions,
  (SELECT group_concat(url) FROM webhooks WHERE enabled) AS told,
  (SELECT error_message FROM uploads WHERE id = 'waits') AS waits,
  (SELECT count(*) FROM sessions) AS sessions`;

function addUser(id: string) {
  return sql`INSERT INTO users (id, login, display_name, permissions, created_at)
    VALUES (${id}, ${`u${id}`}, ${`U${id}`}, '["read:uploads","write:uploads"]', 0)`;
}

/** A backup with people, and what was taken away since from them and from others who came later. */
async function takeAway(): Promise<void> {
  await withDatabase(async (database) => {
    await database.batch([
      sql`UPDATE deployment SET deployment_id = 'here'`,
      ...["1", "2", "3", "4", "5"].map(addUser),
      ...["a", "b"].map(
        (id) => sql`INSERT INTO api_tokens (id, user_id, name, digest, permissions, created_at)
          VALUES (${id}, '1', ${id}, ${id}, '[]', 0)`,
      ),
      sql`INSERT INTO api_tokens (id, user_id, name, digest, permissions, created_at)
        VALUES ('c', '2', 'c', 'c', '[]', 0)`,
      sql`INSERT INTO consents (owner_id, text_version, agreed_at) VALUES ('4', 1, 0), ('5', 1, 0)`,
      sql`INSERT INTO rights_confirmations (owner_id, confirmed_by, reason, confirmed_at)
        VALUES ('1', '2', 'mine', 0), ('1', '5', 'mine', 0), ('5', '1', 'mine', 0)`,
      ...["removed", "off", "moved", "same"].map(
        (id) => sql`INSERT INTO webhooks (id, name, format, host, url, events, enabled, created_at)
          VALUES (${id}, ${id}, 'ntfy', 'host', ${id}, '[]', 1, 0)`,
      ),
    ]);
    await seedUpload(database, { id: "waits", status: "processing", ownerId: "4" });
  });
  await backUp("2026-11-27T03-00-00");
  await withDatabase((database) =>
    database.batch([
      ...["6", "7", "8"].map(addUser),
      sql`INSERT INTO consents (owner_id, text_version, agreed_at) VALUES ('6', 1, 8)`,
      sql`DELETE FROM api_tokens WHERE id = 'a'`,
      sql`DELETE FROM webhooks WHERE id = 'removed'`,
      sql`UPDATE webhooks SET enabled = 0 WHERE id = 'off'`,
      sql`UPDATE webhooks SET url = 'elsewhere' WHERE id = 'moved'`,
      sql`UPDATE users SET banned_at = 9 WHERE id IN ('2', '7')`,
      sql`UPDATE users SET permissions = '["read:uploads"]' WHERE id = '1'`,
      sql`UPDATE consents SET withdrawn_at = 9 WHERE owner_id IN ('4', '6')`,
      sql`DELETE FROM rights_confirmations WHERE owner_id = '1' AND confirmed_by = '2'`,
      sql`INSERT INTO erased_chatters (user_id, erased_at) VALUES ('99', 9)`,
      ...["3", "8"].flatMap((id) => eraseAgain(userIdSchema.parse(id), 9)),
    ]),
  );
}

test("what was taken away since the backup stays away", async () => {
  await takeAway();
  const { said } = await restore("--yes");
  expect(said).toMatch(
    /^Taken away since, .*: API tokens \(2\), users' permissions \(2\), bans \(2\), consents \(2\), confirmations of rights \(1\), webhooks \(1\), webhooks' addresses \(2\), names in chats \(1\), people's names \(2\)\.$/m,
  );
  expect(await withDatabase((database) => database.all(IN_FORCE))).toEqual([
    {
      tokens: "b",
      consents: "5",
      withdrawn: "4,6",
      confirmed: "1 by 5,5 by 1",
      chatters: "99",
      banned: "2,7",
      names: "Erased user,Erased user",
      permissions: '["read:uploads"]',
      told: "elsewhere,same",
      waits: expect.stringContaining("The channel's owner has withdrawn consent."),
      sessions: 0,
    },
  ]);
});

test("what the library folder has now stays known, not what it had then", async () => {
  await takeAway();
  const item = {
    key: "vods/1/2/u.ts",
    path: "P/a",
    made: '{".nfo":{"sizeBytes":1}}',
    made_of: "2",
  };
  await withDatabase((database) =>
    database.run(sql`INSERT INTO library_items (key, path, made, made_of)
      VALUES (${item.key}, ${item.path}, ${item.made}, ${item.made_of})`),
  );
  await restore("--yes");
  const items = sql`SELECT key, path, made, made_of FROM library_items`;
  expect(await withDatabase((database) => database.all(items))).toEqual([item]);
});

test.each<[string, () => Promise<unknown>, RegExp]>([
  ["no", () => rm(join(folder.path, "vodkeep.db")), /there is none/],
  [
    "an unreadable",
    () => writeFile(join(folder.path, "vodkeep.db"), "x".repeat(5_000)),
    /not a database/,
  ],
  [
    "another's",
    () =>
      withDatabase((database) => database.run(sql`UPDATE deployment SET deployment_id = 'there'`)),
    /another deployment's/,
  ],
])(
  "with %s database to compare with, nothing stays that may be revoked",
  async (_what, lose, why) => {
    await takeAway();
    await lose();
    const { said } = await restore("--yes");
    expect(said).toMatch(why);
    expect(said).toMatch(
      /^ {2}API tokens: 3 are revoked\.\n {2}Webhooks: 4 are off .*\n {2}Consents: 2 are withdrawn; .*\n {2}Bans,/m,
    );
    const [left] = await withDatabase((database) => database.all(IN_FORCE));
    expect(left).toMatchObject({
      tokens: null,
      consents: null,
      confirmed: "1 by 2,1 by 5",
      told: null,
    });
  },
);

test("misses the secret key before anything changes, and goes on without it when asked", async () => {
  const sealedWith = await fingerprintOf(KEY);
  await withDatabase(async (database) => {
    await database.run(sql`UPDATE deployment SET deployment_id = 'here'`);
    await replaceKey(database, KEY, { cause: "command", atMs: 0 });
    await (await chainOf(database, KEY)).seal();
  });
  await backUp("2026-11-27T03-00-00");
  const lacks = `The database was sealed with the secret key ${sealedWith}, and there is none here`;
  expect((await restore()).said).toContain(lacks);
  const before = readFileSync(join(folder.path, "vodkeep.db"));
  const refusal = await restore("--yes");
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
  expect(await restoreWith({ SECRET_KEY: KEY }, "--yes")).toMatchObject({ code: 0 });

  expect(await restoreWith({ SECRET_KEY: OTHER_KEY }, "--yes", "--new-key")).toMatchObject({
    code: 0,
  });
  const verification = await withDatabase(async (database) =>
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
    await withDatabase((database) =>
      database.batch(texts.map((text) => ({ sql: text, values: [] }))),
    );
    await backUp("2026-11-27T03-00-00");
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
    () => backUp("2026-11-27T03-00-00", (bytes) => bytes.writeUInt8(bytes.readUInt8(99) ^ 1, 99)),
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
      await withDatabase((database) =>
        database.run(
          sql`INSERT INTO migrations (name, applied_at, version) VALUES ('9999-x', 0, '9.1.0')`,
        ),
      );
      await backUp("2026-11-27T03-00-00");
    },
    ["--yes"],
    EXIT_CODES.settings,
    /start Vodkeep 9\.1\.0 or later/,
  ],
])("refuses %s and changes nothing", async (_what, prepare, args, code, said) => {
  await prepare();
  const before = readFileSync(join(folder.path, "vodkeep.db"));
  const paths = args.map((arg) => (/\.db(\.gz)?$/.test(arg) ? join(folder.path, arg) : arg));
  const refusal = await restore(...paths);
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
  const look = await restore();
  const refusal = await restore("--yes");
  held.release();
  expect(look.said).toMatch(/^Nothing is changed\./m);
  expect(refusal.said).toMatch(/is in use by another Vodkeep process/);
  expect(refusal.code).toBe(EXIT_CODES.failed);
  expect(readdirSync(folder.path, { recursive: true })).toEqual(before);

  const missing = join(folder.path, "nowhere");
  const nothing = await restoreWith({ DATA_DIR: missing });
  expect(nothing).toMatchObject({
    code: EXIT_CODES.notFound,
    said: expect.stringMatching(/has no backup\.$/m),
  });
  expect(existsSync(missing)).toBe(false);
});
