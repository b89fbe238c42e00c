import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { expect, onTestFinished, test } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { openSqliteDatabase } from "#hosts/node/database.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { withObjectStore } from "#program/with-object-store.ts";
import { migrate } from "#service/db/migrate.ts";
import { sql } from "#service/db/sql.ts";
import { readSettings } from "#service/settings.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { createSeededDice } from "../seeded-dice.ts";
import { startChild } from "./child.ts";
import { mountSmallDisk } from "./small-disk.ts";

/** LIBRARY_KILLS=200 LIBRARY_SEED=1 npx vitest run --project=rigs bench/rigs/library-kills.test.ts */
const KILLS = Number(process.env["LIBRARY_KILLS"] ?? 50);
const SEED = Number(process.env["LIBRARY_SEED"] ?? Date.now() % 1_000_000);

const VODS = ["1", "2", "3"];
/** A third of what brings all of them into the library. */
const STEPS = 40;
const SEASON = "Name 1005/Season 2026";
const stemOf = (id: string) => `${SEASON}/s2026.e010100${id.padStart(2, "0")} - Day ${id} [v${id}]`;
/** A person's, of a name that the library would use, too. */
const FOREIGN = [`${stemOf("1")}.nfo`, `${SEASON}/notes.txt`];

function bytesOf(id: string): Uint8Array {
  return new Uint8Array(200_000).fill(Number(id));
}

/** Three VODs with chats. */
async function prepare(data: string): Promise<void> {
  await mkdir(data, { mode: 0o700 });
  const database = openSqliteDatabase(join(data, "vodkeep.db"));
  await migrate(database, 0);
  await withObjectStore(readSettings({}), data, fetch, async (objects) => {
    for (const id of VODS) {
      const stem = `vods/1005/${id}/u${id}`;
      const chatKey = objectKeySchema.parse(`${stem}.chat.json`);
      const upload = { id: `u${id}`, status: "completed", vodId: id, ownerId: "1005" } as const;
      await seedUpload(database, upload);
      await seedFile(
        { database, objects },
        {
          key: `${stem}.ts`,
          bytes: bytesOf(id),
          uploadId: `u${id}`,
          vodId: id,
          recordedAtMs: Date.UTC(2026, 0, 1, 0, Number(id)),
        },
      );
      await objects.put(chatKey, bytesOf(id), { contentType: "application/json" });
      await database.batch([
        sql`UPDATE uploads SET chat_key = ${chatKey} WHERE id = ${`u${id}`}`,
        sql`UPDATE files SET metadata = json_object('title', 'Day ' || vod_id)`,
      ]);
    }
  });
  await database.close();
}

async function list(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .toSorted();
}

function own(paths: readonly string[]): string[] {
  return paths.filter((path) => !FOREIGN.includes(path));
}

/** Whether a file has the end that it is to have. */
async function isWhole(path: string): Promise<boolean> {
  const bytes = await readFile(path);
  return /\.(?:ts|chat\.json)$/.test(path)
    ? bytes.length === bytesOf("1").length
    : /[>}]\n$/.test(bytes.toString());
}

async function runLibrary(
  data: string,
  library: string,
  killBefore = Infinity,
  settings: Readonly<Record<string, string>> = {},
) {
  const environment = { DATA_DIR: data, LIBRARY_DIR: library, ...settings };
  const args = [String(killBefore)];
  const child = await startChild("bench/rigs/library-process.ts", environment, args);
  const [code, signal]: unknown[] = await once(child.process, "exit");
  return signal ?? code;
}

test(
  `kill -9 at any moment leaves no file half, lost or foreign in the library folder, seed ${SEED}`,
  async () => {
    const { between, chance } = createSeededDice(SEED);
    const folder = await makeTemporaryFolder();
    onTestFinished(() => folder.remove());
    const [data, library] = [join(folder.path, "data"), join(folder.path, "library")];
    await prepare(data);
    await mkdir(join(library, SEASON), { recursive: true });
    for (const path of FOREIGN) await writeFile(join(library, path), "mine");
    const run = (killBefore: number) => runLibrary(data, library, killBefore);

    /** Puts all VODs into the trash, or takes them out, and gives them another NFO. */
    async function change(isTrashed: boolean) {
      const database = openSqliteDatabase(join(data, "vodkeep.db"));
      const chapters = JSON.stringify([{ startSec: 0, title: "x".repeat(between(1, 50)) }]);
      await database.run(sql`UPDATE files SET trash_until = ${isTrashed ? 1 : null},
        metadata = json_set(metadata, '$.chapters', json(${chapters}))`);
      await database.close();
    }

    /** Whatever has a name has all of its bytes. */
    async function requireWhole() {
      for (const path of FOREIGN) expect(await readFile(join(library, path), "utf8")).toBe("mine");
      const named = own(await list(library)).filter((path) => !path.startsWith(".vodkeep-new/"));
      for (const path of named)
        expect([path, await isWhole(join(library, path))]).toEqual([path, true]);
    }

    const all = VODS.flatMap((id) => [".chat.json", ".nfo", ".ts"].map((end) => stemOf(id) + end));
    const whole = [...all, "Name 1005/tvshow.nfo", "vodkeep-library.json"];
    let isTrashed = false;
    for (let kills = 0; kills < KILLS;) {
      const isKilled = (await run(between(1, STEPS))) === "SIGKILL";
      if (isKilled) kills += 1;
      if (!isKilled || chance(0.3)) await change((isTrashed = isKilled ? chance(0.5) : !isTrashed));
      await requireWhole();
    }
    for (isTrashed of [false, true]) {
      await change(isTrashed);
      expect(await run(Infinity)).toBe(0);
      await requireWhole();
      const left = isTrashed ? ["vodkeep-library.json"] : whole;
      expect(own(await list(library))).toEqual(own(left).toSorted());
    }
    for (const id of VODS)
      expect((await stat(join(data, `objects/vods/1005/${id}/u${id}.ts`))).nlink).toBe(1);
  },
  KILLS * 30_000,
);

test("another disk needs copies, and one that is full or read-only says so", async ({ skip }) => {
  const disk = await mountSmallDisk(4 * 1024 ** 2);
  if (disk === null) {
    skip("A disk can be mounted by root only.");
    return;
  }
  const folder = await makeTemporaryFolder();
  onTestFinished(async () => {
    await disk.remove();
    await folder.remove();
  });
  const [data, root] = [join(folder.path, "data"), dirname(disk.folder)];
  await prepare(data);

  /** Why the folder stands still, and how many videos are in it. */
  async function sweep(mayCopy: boolean) {
    const settings = { LIBRARY_COPIES: String(mayCopy) };
    expect(await runLibrary(data, disk?.folder ?? "", Infinity, settings)).toBe(0);
    const database = openSqliteDatabase(join(data, "vodkeep.db"));
    const [job] = await database.all(sql`SELECT error FROM jobs WHERE kind = 'library'`);
    await database.close();
    const paths = existsSync(disk?.folder ?? "") ? await list(disk?.folder ?? "") : [];
    return [job?.["error"], paths.filter((path) => path.endsWith(".ts")).length];
  }

  const needsCopies = expect.stringMatching(/Copies would need 586 KB there: set LIBRARY_COPIES/);
  expect(await sweep(false)).toEqual([needsCopies, 0]);
  disk.fill(300_000);
  expect(await sweep(true)).toEqual(["The disk is full.", 0]);
  disk.clear();
  spawnSync("mount", ["-o", "remount,ro", root]);
  expect(await sweep(true)).toEqual([expect.stringContaining("read-only file system"), 0]);
  spawnSync("mount", ["-o", "remount,rw", root]);
  expect(await sweep(true)).toEqual([null, VODS.length]);
});
