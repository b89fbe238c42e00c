import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { uploadIdSchema } from "#contract/ids.ts";
import { runVodkeep } from "#hosts/node/testing/run.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import type { ManualManifest } from "#service/manual-uploads/manifest.ts";

/** The objects are on another disk, which a symbolic link leads to. */

let folder: { path: string; remove(): Promise<void> };
beforeEach(async () => {
  folder = await makeTemporaryFolder();
  mkdirSync(`${folder.path}/data`);
  mkdirSync(`${folder.path}/disk/vods`, { recursive: true });
  symlinkSync(`${folder.path}/disk`, `${folder.path}/data/objects`);
  addVideo("1.ts");
});
afterEach(() => folder.remove());

function addVideo(name: string): void {
  const database = new DatabaseSync(`${folder.path}/data/vodkeep.db`);
  database.exec(`CREATE TABLE IF NOT EXISTS files (name TEXT);
    CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY)`);
  database.prepare("INSERT INTO files VALUES (?)").run(name);
  database.close();
  writeFileSync(`${folder.path}/disk/vods/${name}`, name);
}

function backUp(to: string) {
  const args = ["backup", "--to", `${folder.path}/${to}`];
  return runVodkeep(args, { DATA_DIR: `${folder.path}/data` });
}

function namesIn(data: string): unknown[] {
  const database = new DatabaseSync(`${folder.path}/${data}/vodkeep.db`);
  const names = database.prepare("SELECT name FROM files").all();
  database.close();
  return names.map(({ name }) => name);
}

test("copies objects behind a symbolic link, the keys, and nothing of this machine only", async () => {
  for (const name of ["secret-key", "twitch-credentials", "setup-code", "reserve", "doctor.json"])
    writeFileSync(`${folder.path}/data/${name}`, name);
  expect(await backUp("backup")).toMatchObject({ code: 0 });
  expect(readFileSync(`${folder.path}/backup/objects/vods/1.ts`, "utf8")).toBe("1.ts");
  // The running service states the time of the last backup in its metrics.
  expect(readdirSync(`${folder.path}/data`)).toContain("last-backup");
  expect(readdirSync(`${folder.path}/backup`).toSorted()).toEqual([
    "objects",
    "secret-key",
    "twitch-credentials",
    "vodkeep.db",
    "vodkeep.db-wal",
  ]);
});

test("sessions are not in the backup: one that is ended later must not come back", async () => {
  const live = new DatabaseSync(`${folder.path}/data/vodkeep.db`);
  live.exec("INSERT INTO sessions VALUES ('s')");
  await backUp("backup");
  const count = "SELECT count(*) AS n FROM sessions";
  expect(live.prepare(count).get()).toEqual({ n: 1 });
  live.close();
  const copy = new DatabaseSync(`${folder.path}/backup/vodkeep.db`);
  expect(copy.prepare(count).get()).toEqual({ n: 0 });
  copy.close();
});

test("follows no other link", async () => {
  writeFileSync(`${folder.path}/secret`, "secret");
  symlinkSync(`${folder.path}/secret`, `${folder.path}/disk/vods/2.ts`);
  symlinkSync(folder.path, `${folder.path}/disk/manual`);
  expect(await backUp("backup")).toMatchObject({ code: 0 });
  expect(readdirSync(`${folder.path}/backup/objects`, { recursive: true })).toEqual([
    "vods",
    "vods/1.ts",
  ]);
});

test("a second run copies nothing again, to a disk with coarse times either", async () => {
  await backUp("backup");
  const copy = `${folder.path}/backup/objects/vods/1.ts`;
  const modifiedAtMs = statSync(copy).mtimeMs - 1_999;
  utimesSync(copy, modifiedAtMs / 1_000, modifiedAtMs / 1_000);
  expect((await backUp("backup")).stdout).toContain("the database and 0 new files");
});

test("a run that fails leaves the database of the run before, which names only copied objects", async () => {
  await backUp("backup");
  addVideo("2.ts");
  mkdirSync(`${folder.path}/backup/objects/vods/2.ts/x`, { recursive: true });
  expect((await backUp("backup")).code).toBe(1);
  expect(namesIn("backup")).toEqual(["1.ts"]);
});

test("a backup copied over the folder of a service that crashed is not mixed with its log", async () => {
  const live = new DatabaseSync(`${folder.path}/data/vodkeep.db`);
  live.exec("PRAGMA journal_mode = WAL");
  await backUp("backup");
  live.prepare("INSERT INTO files VALUES (?)").run("2.ts");
  cpSync(`${folder.path}/data`, `${folder.path}/crashed`, { recursive: true });
  live.close();
  cpSync(`${folder.path}/backup`, `${folder.path}/crashed`, { recursive: true });
  expect(namesIn("crashed")).toEqual(["1.ts"]);
});

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** A stored file, of which its manifest proves that it is "parts.". */
function addProved(id: string, text: string): string {
  const manifest: ManualManifest = {
    version: 1,
    kind: "manual",
    uploadId: uploadIdSchema.parse(id),
    objectKey: objectKeySchema.parse(`manual/1/${id}/a.ts`),
    filename: "a.ts",
    contentType: "video/mp2t",
    owner: { id: "1", login: "one", displayName: "One" },
    createdAt: "2026-01-01T00:00:00.000Z",
    stored: {
      sizeBytes: 6,
      tag: "",
      tagAlgorithm: "none",
      partSizeBytes: 4,
      partSha256: [sha256("part"), sha256("s.")],
    },
  };
  const stem = `${folder.path}/disk/manual/1/${id}`;
  mkdirSync(stem, { recursive: true });
  writeFileSync(`${stem}.manifest.json`, JSON.stringify(manifest));
  writeFileSync(`${stem}/a.ts`, text);
  return `${stem}/a.ts`;
}

function backedUp(id: string): string | null {
  const path = `${folder.path}/backup/objects/manual/1/${id}/a.ts`;
  return existsSync(path) ? readFileSync(path, "utf8") : null;
}

test("an object that its manifest does not prove is not copied; others are, and earlier copies stay", async () => {
  const damaged = addProved("damaged", "parts!");
  const copied = addProved("copied", "parts.");
  // As the library folder's links are.
  chmodSync(damaged, 0o444);
  for (let run = 0; run < 2; run += 1) {
    expect(await backUp("backup")).toMatchObject({
      code: 6,
      stderr: expect.stringMatching(/^Not copied.+manual\/1\/damaged\/a\.ts\. Earlier/),
    });
    expect([backedUp("damaged"), backedUp("copied")]).toEqual([null, "parts."]);
  }
  writeFileSync(copied, "spoilt");
  // Later than the copy by more than the step of a file system's times.
  const laterAt = new Date(statSync(copied).mtimeMs + 10_000);
  utimesSync(copied, laterAt, laterAt);
  rmSync(damaged);
  addProved("damaged", "parts.");
  addVideo("2.ts");
  expect(await backUp("backup")).toMatchObject({ code: 6 });
  expect([backedUp("damaged"), backedUp("copied")]).toEqual(["parts.", "parts."]);
  expect(namesIn("backup")).toEqual(["1.ts", "2.ts"]);
});

test.each(["data/backup", "disk/backup"])("refuses the folder %s", async (to) => {
  expect(await backUp(to)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^--to must be outside DATA_DIR and its objects\./),
  });
});
