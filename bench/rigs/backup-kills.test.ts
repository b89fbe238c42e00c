import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { openSqliteDatabase } from "#hosts/node/database.ts";
import { runVodkeep } from "#hosts/node/testing/run.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { withObjectStore } from "#program/with-object-store.ts";
import { backupKeys, factsSchema, listStoredBackups } from "#service/backups/stored-backups.ts";
import { migrate } from "#service/db/migrate.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import { readSettings } from "#service/settings.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { seedRows } from "../../scripts/seed-rows.ts";
import { createSeededDice } from "../seeded-dice.ts";
import { startChild } from "./child.ts";
import { mountSmallDisk } from "./small-disk.ts";

/** BACKUP_KILLS=200 npx vitest run --project=rigs bench/rigs/backup-kills.test.ts */
const KILLS = Number(process.env["BACKUP_KILLS"] ?? 8);

/** Of putting the restored database in its place, which are too fast to be met at random. */
const STEPS = 3;

const UPLOADS = 300;
const REPLACED = "vodkeep.db.replaced-";

/**
 * Makes a folder with a backup in its store. Its database has one upload more, in `crashed` only in
 * the log: as a killed service leaves it.
 */
async function prepare(data: string, crashed: string): Promise<void> {
  for (const folder of [data, crashed]) mkdirSync(folder);
  const database = openSqliteDatabase(join(data, "vodkeep.db"));
  await migrate(database, 0);
  await seedRows(database, { users: 50, uploads: UPLOADS, files: UPLOADS }, 0, () => {});
  await database.close();
  expect(await (await start("backup", data)).ended).toEqual([0, null]);
  const later = openSqliteDatabase(join(data, "vodkeep.db"));
  await seedUpload(later, { id: "later" });
  for (const name of ["vodkeep.db", "vodkeep.db-wal"])
    cpSync(join(data, name), join(crashed, name));
  await later.close();
}

async function start(work: "backup" | "restore", data: string, killBefore = Infinity) {
  const args = [work, String(killBefore)];
  const child = await startChild("bench/rigs/backup-process.ts", { DATA_DIR: data }, args);
  return { kill: () => child.kill(), ended: once(child.process, "exit") };
}

/** How many uploads the database has, which SQLite finds whole. */
function countUploads(path: string): number {
  const database = new DatabaseSync(path);
  expect(database.prepare("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" });
  const row = database.prepare("SELECT count(*) AS uploads FROM uploads").get();
  database.close();
  return Number(row?.["uploads"]);
}

function withStore<T>(data: string, look: (store: ObjectStore) => Promise<T>): Promise<T> {
  return withObjectStore(readSettings({}), data, fetch, look);
}

async function requireWholeBackups(store: ObjectStore): Promise<void> {
  const { times } = await listStoredBackups(store, Date.now());
  expect(times.length).toBeGreaterThan(0);
  const read = async (key: Parameters<ObjectStore["get"]>[0]) =>
    Buffer.from(await new Response((await store.get(key))?.body ?? null).arrayBuffer());
  for (const time of times) {
    const keys = backupKeys(time);
    const facts = factsSchema.parse(JSON.parse((await read(keys.facts)).toString()));
    const digest = createHash("sha256")
      .update(await read(keys.data))
      .digest("hex");
    expect(digest).toBe(facts.sha256);
  }
}

/** Files beside the database that the next run has to remove. */
function leftIn(data: string): readonly string[] {
  const own = /^(?:lock|reserve|secret-key|last-backup|objects|vodkeep\.db(?:-wal|-shm)?)$/;
  const names = existsSync(data) ? readdirSync(data) : [];
  return names.filter((name) => !own.test(name) && !name.startsWith(REPLACED));
}

/** Databases that restores left beside theirs. */
function replacedIn(data: string): readonly string[] {
  return readdirSync(data).filter((name) => name.startsWith(REPLACED));
}

test(
  "kill -9 at any moment of a backup or restore loses nothing, and leaves nothing for long",
  async () => {
    const { random } = createSeededDice(Date.now() % 1_000_000);
    const folder = await makeTemporaryFolder();
    onTestFinished(() => folder.remove());
    const [data, crashed] = [join(folder.path, "data"), join(folder.path, "crashed")];
    await prepare(data, crashed);
    for (const [work, states] of [
      ["restore", [UPLOADS, UPLOADS + 1]],
      ["backup", [UPLOADS + 1]],
    ] as const) {
      const startedMs = performance.now();
      const whole = await start(work, data);
      await whole.ended;
      const lastsMs = performance.now() - startedMs;
      for (let kill = 1; kill <= KILLS / 2; kill += 1) {
        for (const name of replacedIn(data)) rmSync(join(data, name));
        cpSync(crashed, data, { recursive: true });
        const isStep = work === "restore" && kill <= STEPS;
        const running = await start(work, data, isStep ? kill : Infinity);
        if (!isStep) {
          await pause(random() * lastsMs * 0.6);
          await running.kill();
        }
        const [, signal] = await running.ended;
        expect(isStep ? signal : "SIGKILL").toBe("SIGKILL");
        expect(states).toContain(countUploads(join(data, "vodkeep.db")));
        for (const name of replacedIn(data))
          expect(countUploads(join(data, name))).toBe(UPLOADS + 1);
        await withStore(data, requireWholeBackups);
      }
      const last = await start(work, data);
      expect(await last.ended).toEqual([0, null]);
      expect(leftIn(data)).toEqual([]);
    }
    expect(await withStore(data, (store) => store.listMultiparts())).toEqual([]);
    const service = await startChild("hosts/node/main.ts", { DATA_DIR: data, PORT: "0" });
    await service.stop();
  },
  KILLS * 30_000,
);

test("on a full disk, a backup and a restore say so and change nothing", async ({ skip }) => {
  const disk = await mountSmallDisk(64 * 1024 ** 2);
  if (disk === null) {
    skip("A disk can be mounted by root only.");
    return;
  }
  onTestFinished(() => disk.remove());
  await prepare(disk.folder, `${disk.folder}-crashed`);
  const path = join(disk.folder, "vodkeep.db");
  const copy = `${disk.folder}-copy`;
  // Said beforehand, or by the disk.
  const NO_ROOM = /^The disk (?:of \S+ has no room for the backup|is full\. ENOSPC: [^\n]+)\.?\n$/;
  // Room for no copy, for one, and for two.
  for (const [share, line, exitCode, said] of [
    [0.5, "restore --yes", 1, NO_ROOM],
    [1.5, "restore --yes", 1, NO_ROOM],
    [0.5, `backup --to ${copy}`, 1, /^The database cannot be used: database or disk is full\.\n$/],
    [2.5, `backup --to ${copy}`, 0, /^$/],
    [2.5, "restore --yes", 0, /^$/],
  ] as const) {
    disk.fill(statSync(path).size * share);
    const { code, stderr } = await runVodkeep(line.split(" "), { DATA_DIR: disk.folder });
    disk.clear();
    expect({ line, code, stderr }).toEqual({
      line,
      code: exitCode,
      stderr: expect.stringMatching(said),
    });
    const isRestored = line.startsWith("restore") && exitCode === 0;
    expect(countUploads(path)).toBe(isRestored ? UPLOADS : UPLOADS + 1);
    expect([...leftIn(disk.folder), ...leftIn(copy)]).toEqual([]);
  }
});
