import { afterAll, afterEach, expect, it } from "vitest";
import type { Chapter } from "#contract/files.ts";
import { describeFile, findFile } from "#service/files/file-row.ts";
import { rebuildIndex } from "#service/proof/rebuild-index.ts";
import { sql } from "#service/db/sql.ts";
import { openArchiveWorld } from "#service/testing/archive-world.ts";

const world = await openArchiveWorld({ clockFactor: 20 });
afterEach(() => world.twitch.control.clearFaults());
afterAll(() => world.close());

/** A VOD of 15 minutes with two categories. */
const VOD_ID = "2000000003";

async function archive(): Promise<string> {
  const upload = await world.archiveToEnd(await world.addUpload(VOD_ID));
  expect(upload).toMatchObject({ status: "completed", retryCount: 0 });
  return upload.fileKey ?? "";
}

async function chaptersOf(key: string): Promise<readonly Chapter[] | undefined> {
  const file = await findFile(world.context.platform.database, key);
  return file === null ? undefined : describeFile(file).chapters;
}

const CHAPTERS = [
  { startSec: 0, title: "Calm Flight Simulator" },
  { startSec: 450, title: "Just Chatting" },
];

it("stores chapters with the file and restores them when the index is rebuilt", async () => {
  const key = await archive();
  expect(await chaptersOf(key)).toEqual(CHAPTERS);
  const { database } = world.context.platform;
  await database.run(sql`DELETE FROM files`);
  await rebuildIndex(world.context);
  expect(await chaptersOf(key)).toEqual(CHAPTERS);
});

it("reads at its end what a fault has cost at its beginning", async () => {
  const { control } = world.twitch;
  await control.addFault({ match: { body: "ChapterSelect" }, fault: { type: "reset" } });
  for (const path of ["/cf_vods/", "/storyboards/"])
    await control.addFault({ match: { path }, fault: { type: "status", status: 404 } });
  const key = await archive();
  expect(await chaptersOf(key)).toEqual(CHAPTERS);
  const [upload] = await world.context.platform.database.all(sql`
    SELECT has_thumbnail, has_storyboard FROM uploads WHERE object_key = ${key}`);
  expect(upload).toEqual({ has_thumbnail: 1, has_storyboard: 1 });
});

it.each([
  ["fail", { type: "gqlError", message: "service error" }],
  ["are unreadable", { type: "body", body: '{"data":{"video":[]}}', contentType: "text/plain" }],
  ["never arrive", { type: "stall" }],
] as const)("completes the archive without chapters when they %s", async (_, fault) => {
  const match = { kind: "gql", body: "ChapterSelect" } as const;
  await world.twitch.control.addFault({ match, fault, times: "forever" });
  expect(await chaptersOf(await archive())).toEqual([]);
});
