import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { objectKeySchema } from "#contract/files.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { listen } from "#stand-ins/listen.ts";
import { writePosters } from "./media-layout.ts";

test("a mirror for media servers has the owner's picture, which it never replaces", async () => {
  const folder = await makeTemporaryFolder();
  const pictures = [new Uint8Array([0xff, 0xd8, 0xff, 1]), new Uint8Array([0xff, 0xd8, 0xff, 2])];
  const server = createServer((_, response) => response.end(pictures.shift()));
  const host = `127.0.0.1:${await listen(server)}`;
  vi.stubEnv("TWITCH_MEDIA_HOSTS", host);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    server.close();
    await folder.remove();
  });
  const key = objectKeySchema.parse("vods/1005/1/u1.ts");
  const channel = { id: "1005", login: "p", displayName: "P", profileImageUrl: `http://${host}/a` };
  const about = { itemId: "1", title: "Day", recordedAt: "2026-01-01T00:00:00Z", durationSec: 1 };
  const video = { key, channel, ...about, chapters: [], isMuted: false };
  const write = () =>
    writePosters(folder.path, new Map([[key, video]]), new Map([[key, "P/Season 2026/day.ts"]]));
  await write();
  expect(await readdir(folder.path)).toEqual([]);
  await mkdir(join(folder.path, "P"));
  await writeFile(join(folder.path, "P/tvshow.nfo"), "");
  await write();
  await write();
  expect(await readdir(join(folder.path, "P"))).toEqual(["poster.jpg", "tvshow.nfo"]);
  expect([...(await readFile(join(folder.path, "P/poster.jpg")))]).toEqual([0xff, 0xd8, 0xff, 1]);
});
