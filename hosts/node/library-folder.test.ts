import { constants } from "node:fs";
import {
  copyFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { readLibrary, rebuildLibrary } from "#contract/library.ts";
import { sql } from "#service/db/sql.ts";
import { runDue } from "#service/jobs/job-runner.ts";
import { plan, SOLE } from "#service/jobs/jobs.ts";
import type { LibraryFolder } from "#service/ports/library-folder.ts";
import { StoreError } from "#service/ports/object-store.ts";
import { libraryJob } from "#service/library/library-sweep.ts";
import { seedFile } from "#service/testing/file-rows.ts";
import { ADMIN, startTestService, type TestService } from "#service/testing/test-service.ts";
import { seedUpload } from "#service/testing/upload-rows.ts";
import { listen } from "#stand-ins/listen.ts";
import { makeTemporaryFolder } from "./testing/temporary-folder.ts";

const SEASON = "PixelPilot/Season 2026";
const BEGAN_MS = Date.UTC(2026, 10, 25, 17, 57, 59);
const PNG = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0]);

const JPEG = new Uint8Array([0xff, 0xd8, 0xff, 0xe0]);

/** Owners' pictures by the path of their address. */
const pictures: Record<string, Uint8Array> = {
  "/a": PNG,
  "/b": JPEG,
  "/svg": new TextEncoder().encode("<svg/>"),
  "/large": new Uint8Array(1_100_000).fill(1).map((byte, index) => JPEG[index] ?? byte),
};
const server = createServer(({ url = "" }, response) => response.end(pictures[url] ?? ""));
const mediaHost = `127.0.0.1:${await listen(server)}`;
afterAll(() => server.close());

let folder: Awaited<ReturnType<typeof makeTemporaryFolder>>;
let root: string;
let vodkeep: TestService;
beforeEach(async () => {
  folder = await makeTemporaryFolder();
  root = join(folder.path, "library");
  vodkeep = await startTestService({
    settings: { LIBRARY_DIR: root, TWITCH_MEDIA_HOSTS: mediaHost },
  });
  await vodkeep.platform.database.run(sql`INSERT OR REPLACE INTO users
    (id, login, display_name, created_at) VALUES ('1005', 'pixelpilot', 'PixelPilot', 0)`);
});
afterEach(async () => {
  await vodkeep.close();
  await folder.remove();
});

/** A stored VOD of channel 1005, with a thumbnail and a chat. */
async function addVod(id: string, title: string, atMs = BEGAN_MS) {
  const { database, objects } = vodkeep.platform;
  const stem = `vods/1005/${id}/upload-${id}`;
  const key = objectKeySchema.parse(`${stem}.ts`);
  const chatKey = objectKeySchema.parse(`${stem}.chat.json`);
  await seedUpload(database, { id: `upload-${id}`, status: "completed", vodId: id, atMs });
  await seedFile(vodkeep.platform, {
    key,
    bytes: new Uint8Array(5_000).fill(Number(id)),
    userId: "1005",
    uploadId: `upload-${id}`,
    vodId: id,
    recordedAtMs: atMs,
  });
  const pictureKey = objectKeySchema.parse(`${stem}.thumbnail`);
  await objects.put(pictureKey, PNG, { contentType: "image/png" });
  await objects.put(chatKey, new TextEncoder().encode("[]"), { contentType: "application/json" });
  const metadata = { title, durationSec: 3_600, chapters: [{ startSec: 0, title: "Chess" }] };
  await database.batch([
    sql`UPDATE files SET metadata = ${JSON.stringify(metadata)} WHERE object_key = ${key}`,
    sql`UPDATE uploads SET has_thumbnail = 1, chat_key = ${chatKey} WHERE id = ${`upload-${id}`}`,
  ]);
  return key;
}

/** With other ways of some calls. */
async function sweep(change: (whole: LibraryFolder) => Partial<LibraryFolder> = () => ({})) {
  const { library: whole } = vodkeep.platform;
  const platform = { ...vodkeep.platform, library: whole && { ...whole, ...change(whole) } };
  const context = { ...vodkeep.context, platform };
  await platform.database.run(plan("library", SOLE, 0));
  await runDue(context, "library", libraryJob(context), 1);
}

async function list(): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name).slice(root.length + 1))
    .toSorted();
}

async function library() {
  return (await (await vodkeep.signIn(ADMIN)).expect(readLibrary)).library;
}

const stemOf = (tag: string, title: string, id: string) =>
  `${SEASON}/s2026.e${tag} - ${title} [v${id}]`;
const FIRST = stemOf("11251757", "Sunrise", "1");
const PART = stemOf("11251807", "Part 0_10_00-0_11_00 of Sunrise", "1-600-660");
const OWN = ["PixelPilot/tvshow.nfo", "vodkeep-library.json"];
const filesOf = (stem: string) => [
  `${stem}-thumb.png`,
  `${stem}.chat.json`,
  `${stem}.nfo`,
  `${stem}.ts`,
];

/** Whether the disk of the tests can, as btrfs and XFS. */
async function canClone(): Promise<boolean> {
  const [from, to] = [join(folder.path, "from"), join(folder.path, "to")];
  await writeFile(from, "bytes");
  return await copyFile(from, to, constants.COPYFILE_FICLONE_FORCE).then(
    () => true,
    () => false,
  );
}

test("a stored VOD is cloned or linked, not copied, with what belongs to it, and leaves with its file", async () => {
  const key = await addVod("1", "Sunrise");
  await sweep();
  expect(await list()).toEqual([...filesOf(FIRST), ...OWN].toSorted());
  const { nlink, size, mode } = await stat(join(root, `${FIRST}.ts`));
  const links = (await canClone()) ? 1 : 2;
  expect({ nlink, size, mode: mode & 0o777 }).toEqual({ nlink: links, size: 5_000, mode: 0o444 });
  expect(await readFile(join(root, `${FIRST}.nfo`), "utf8")).toContain(
    "<title>Sunrise</title>\n  <showtitle>PixelPilot</showtitle>\n  <season>2026</season>\n  <episode>11251757</episode>\n  <aired>2026-11-25</aired>",
  );
  expect(await library()).toMatchObject({ folder: root, stored: 1, listed: 1, failure: null });
  await vodkeep.platform.database.run(
    sql`UPDATE files SET trash_until = 1 WHERE object_key = ${key}`,
  );
  await sweep();
  expect(await list()).toEqual(["vodkeep-library.json"]);
});

test("what a person removed or edited stays so, until a rebuild asks for it again", async () => {
  await addVod("1", "Sunrise");
  await addVod("2", "Sunset", BEGAN_MS + 3_600_000);
  await sweep();
  const second = stemOf("11251857", "Sunset", "2");
  await rm(join(root, `${FIRST}.ts`));
  await writeFile(join(root, `${second}.nfo`), "mine");
  await writeFile(join(root, SEASON, "notes.txt"), "mine");
  await vodkeep.platform.database.run(
    sql`UPDATE files SET metadata = json_set(metadata, '$.chapters', json('[]'))`,
  );
  await sweep();
  expect(await list()).not.toContain(`${FIRST}.ts`);
  await (await vodkeep.signIn(ADMIN)).expect(rebuildLibrary);
  await sweep();
  expect(await list()).toContain(`${FIRST}.ts`);
  await vodkeep.platform.database.run(sql`DELETE FROM files`);
  await sweep();
  expect(await list()).toEqual(
    [`${SEASON}/notes.txt`, `${second}.nfo`, "vodkeep-library.json"].toSorted(),
  );
  expect(await readFile(join(root, `${second}.nfo`), "utf8")).toBe("mine");
});

test("a foreign file of the same name stays, and is named", async () => {
  await mkdir(join(root, SEASON), { recursive: true });
  await writeFile(join(root, `${FIRST}.ts`), "mine");
  await addVod("1", "Sunrise");
  await sweep();
  expect(await readFile(join(root, `${FIRST}.ts`), "utf8")).toBe("mine");
  expect(await library()).toMatchObject({
    listed: 0,
    problems: [{ path: FIRST, text: expect.stringContaining("Another file") }],
  });
});

test("chapters, a chat and its erasure that come later are followed", async () => {
  const { database, objects } = vodkeep.platform;
  const key = await addVod("1", "Sunrise");
  await sweep();
  await objects.put(
    objectKeySchema.parse(key.replace(".ts", ".chat.json")),
    new TextEncoder().encode("[1]"),
    { contentType: "application/json" },
  );
  await database.batch([
    sql`INSERT INTO erased_chatters (user_id, erased_at) VALUES ('9', 5)`,
    sql`UPDATE files SET metadata = json_set(metadata, '$.chapters[0].title', 'Go & <Shogi>')`,
  ]);
  await sweep();
  expect(await readFile(join(root, `${FIRST}.chat.json`), "utf8")).toBe("[1]");
  expect(await readFile(join(root, `${FIRST}.nfo`), "utf8")).toContain(
    "<genre>Go &amp; &lt;Shogi&gt;</genre>",
  );
});

test("VODs of one minute, parts of one VOD, and channels of one name are told apart", async () => {
  const { database } = vodkeep.platform;
  await addVod("1", "Sunrise");
  await addVod("2", "Sunset", BEGAN_MS - 30_000);
  await addVod("1-600-660", "Part 0:10:00-0:11:00 of Sunrise");
  await database.run(sql`INSERT INTO users (id, login, display_name, created_at)
    VALUES ('1006', 'pixelpilot2', 'PIXELPILOT', 0)`);
  await seedUpload(database, { id: "u3", status: "completed", vodId: "3", ownerId: "1006" });
  await seedFile(vodkeep.platform, {
    key: "vods/1006/3/u3.ts",
    bytes: PNG,
    uploadId: "u3",
    vodId: "3",
    recordedAtMs: BEGAN_MS + 60_000,
  });
  await sweep();
  const videos = (await list()).filter((path) => path.endsWith(".ts"));
  expect(videos).toEqual(
    [
      "PIXELPILOT (1006)/Season 2026/s2026.e11251758 - 3 [v3].ts",
      `${stemOf("1125175759", "Sunrise", "1")}.ts`,
      `${stemOf("11251757", "Sunset", "2")}.ts`,
      `${PART}.ts`,
    ].toSorted(),
  );
  const nfo = await readFile(join(root, `${PART}.nfo`), "utf8");
  expect(nfo).toContain("https://www.twitch.tv/videos/1\n");
  expect(nfo).toContain(">v1-600-660</uniqueid>");
});

const agreed = (version: number) =>
  sql`INSERT INTO consents (owner_id, text_version, agreed_at) VALUES ('1005', ${version}, 0)`;

describe("an owner who", () => {
  const signedIn = sql`UPDATE uploads SET rights = 'owner_signed_in'`;
  const withdrawn = sql`UPDATE consents SET withdrawn_at = ${BEGAN_MS + 1}`;
  const confirmed = sql`INSERT INTO rights_confirmations VALUES ('1005', '1005', 'Mine', 0)`;
  test.each([
    ["agreed to the first text", [agreed(1), signedIn], 0],
    ["agreed to the second", [agreed(2), signedIn], 1],
    ["was banned since", [agreed(2), signedIn, sql`UPDATE users SET banned_at = 1`], 0],
    ["withdrew it", [agreed(2), signedIn, withdrawn], 0],
    ["withdrew what an administrator had confirmed", [agreed(2), withdrawn], 0],
    ["signed in, and an administrator confirmed the rights", [signedIn, confirmed], 1],
  ])("%s", async (_name, changes, listed) => {
    const { database } = vodkeep.platform;
    await addVod("1", "Sunrise");
    await sweep();
    await database.batch(changes);
    await sweep();
    expect(await library()).toMatchObject({ stored: 1, listed, withoutConsent: 1 - listed });
    expect((await list()).filter((path) => path.endsWith(".ts"))).toHaveLength(listed);
  });
});

test("the owner's picture is beside tvshow.nfo, replaces no other, and leaves with the last video", async () => {
  const key = await addVod("1", "Sunrise");
  async function postersWith(address: string | null) {
    const { database } = vodkeep.platform;
    await database.run(sql`UPDATE users SET profile_image_url = ${address} WHERE id = '1005'`);
    await sweep();
    return (await list()).filter((path) => path.includes("poster"));
  }
  const png = "PixelPilot/poster.png";
  const jpg = "PixelPilot/poster.jpg";
  expect(await postersWith(`http://${mediaHost}/svg`)).toEqual([]);
  expect(await postersWith("http://127.0.0.1:9/a")).toEqual([]);
  expect(await postersWith(`http://${mediaHost}/a`)).toEqual([png]);
  expect(new Uint8Array(await readFile(join(root, png)))).toEqual(PNG);
  expect(await postersWith(`http://${mediaHost}/b`)).toEqual([jpg]);
  expect(await postersWith(`http://${mediaHost}/large`)).toEqual([jpg]);
  expect(await postersWith(null)).toEqual([]);
  await writeFile(join(root, jpg), "mine");
  expect(await postersWith(`http://${mediaHost}/b`)).toEqual([jpg]);
  expect(await postersWith(`http://${mediaHost}/a`)).toEqual([jpg, png]);
  await vodkeep.platform.database.run(
    sql`UPDATE files SET trash_until = 1 WHERE object_key = ${key}`,
  );
  await sweep();
  expect(await list()).toEqual([jpg, "vodkeep-library.json"].toSorted());
  expect(await readFile(join(root, jpg), "utf8")).toBe("mine");
});

test("a disk that is not mounted gets nothing, and is no order to rebuild", async () => {
  const key = await addVod("1", "Sunrise");
  await sweep();
  await rename(root, `${root}-away`);
  await mkdir(root);
  await addVod("2", "Sunset", BEGAN_MS + 3_600_000);
  await vodkeep.platform.database.run(sql`DELETE FROM files WHERE object_key = ${key}`);
  await sweep();
  expect(await readdir(root)).toEqual([]);
  expect((await library())?.failure?.text).toContain("Mount its disk");
  await rm(root, { recursive: true });
  await rename(`${root}-away`, root);
  await sweep();
  expect(await list()).toEqual([...filesOf(stemOf("11251857", "Sunset", "2")), ...OWN].toSorted());
  expect((await library())?.failure).toBeNull();
});

/** What happens between the making of a file and its name. */
const beforeName =
  (path: string, act: () => Promise<unknown>) =>
  (whole: LibraryFolder): Partial<LibraryFolder> => ({
    async write(...args) {
      const placing = await whole.write(...args);
      if (placing.outcome !== "ready" || args[0] !== path) return placing;
      return { ...placing, name: () => act().then(() => placing.name()) };
    },
  });

test("a disk that goes away while files are made gets no more", async () => {
  await addVod("1", "Sunrise");
  await addVod("2", "Sunset", BEGAN_MS + 3_600_000);
  await sweep((whole) => ({
    async open(...args) {
      if (await stat(join(root, `${FIRST}.ts`)).catch(() => null)) {
        await rename(root, `${root}-away`);
        await mkdir(root);
      }
      await whole.open(...args);
    },
  }));
  expect(await readdir(root)).toEqual([]);
});

test("a file's mark is stored before its name, which a file that came meanwhile keeps", async () => {
  await addVod("1", "Sunrise");
  const marks = sql`SELECT made FROM library_items WHERE path = ${FIRST}`;
  const nfo = join(root, `${FIRST}.nfo`);
  await sweep(
    beforeName(`${FIRST}.nfo`, async () => {
      expect((await vodkeep.platform.database.all(marks))[0]?.["made"]).toContain(".nfo");
      await mkdir(join(root, SEASON), { recursive: true });
      await writeFile(nfo, "mine");
    }),
  );
  expect(await readFile(nfo, "utf8")).toBe("mine");
});

test("what a crash left half removed is made again once it is wanted again", async () => {
  const { database } = vodkeep.platform;
  await addVod("1", "Sunrise");
  await sweep();
  const all = await list();
  await database.run(sql`UPDATE files SET trash_until = 1`);
  let removals = 0;
  await sweep((whole) => ({
    async remove(...args) {
      await whole.remove(...args);
      if ((removals += 1) === 4) throw new StoreError("unavailable", "The process ends here.");
    },
  }));
  await database.run(sql`UPDATE files SET trash_until = NULL`);
  await sweep();
  expect(await list()).toEqual(all);
});

test("a video waits while a name is being taken out of its chat", async () => {
  await addVod("1", "Sunrise");
  await vodkeep.platform.database.run(plan("erasure", "upload-1", 0));
  await sweep();
  expect(await list()).toEqual(["vodkeep-library.json"]);
});

test("the folder of another Vodkeep stays as it is", async () => {
  await mkdir(root);
  await writeFile(join(root, "vodkeep-library.json"), '{"deploymentId":"another"}');
  await addVod("1", "Sunrise");
  await sweep();
  expect(await list()).toEqual(["vodkeep-library.json"]);
  expect((await library())?.failure?.text).toContain("belongs to another Vodkeep");
});

test("a link out of the folder is not followed by what is made", async () => {
  await addVod("1", "Sunrise");
  await mkdir(join(root, SEASON), { recursive: true });
  await symlink(join(folder.path, "elsewhere"), join(root, `${FIRST}.ts`));
  await sweep();
  expect(await readdir(folder.path)).toEqual(["library"]);
});
