import { execFile } from "node:child_process";
import { hash } from "node:crypto";
import { type DisposableTempDir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import { startTwitchStandIn, type TwitchStandIn } from "./server.ts";

/**
 * Runs Debian's yt-dlp against the stand-in, as a check of its fidelity. It uses a copy of its own
 * Twitch code with the stand-in's URLs; hashes of persisted queries that Twitch has retired are
 * replaced by those of mid-2026 (docs/twitch.md#web-api).
 */

const TWITCH_MODULE = "/usr/lib/python3/dist-packages/yt_dlp/extractor/twitch.py";

const METADATA_HASH = "45111672eea2e507f8ba44d101a61862f9c56b11dee09a15634cb75cb9b9084d";
const CHAPTERS_HASH = "71835d5ef425e154bf282453a926d99b328cdc5e32f36d3a209d0f4778b41203";

/** Replaces yt-dlp's Twitch module by the file in the first argument. */
const RUN_YT_DLP = `
import importlib.util, sys
spec = importlib.util.spec_from_file_location("yt_dlp.extractor.twitch", sys.argv.pop(1))
import yt_dlp
module = importlib.util.module_from_spec(spec)
sys.modules[spec.name] = module
spec.loader.exec_module(module)
yt_dlp.main(sys.argv[1:])
`;

const run = promisify(execFile);
let standIn: TwitchStandIn;
let folder: DisposableTempDir;

beforeEach(async () => {
  standIn = await startTwitchStandIn();
  folder = await makeTemporaryFolder();
});
afterEach(async () => {
  await standIn.close();
  await folder.remove();
});

async function runYtDlp(...args: readonly string[]): Promise<string> {
  let source = await readFile(TWITCH_MODULE, "utf8");
  for (const [before, after] of Object.entries({
    "https://gql.twitch.tv/gql": `${standIn.url}/gql`,
    "https://usher.ttvnw.net": standIn.url,
    "49b5b8f268cdeb259d75b58dcb0c1a748e3b575003448a2333dc5cdafd49adad": METADATA_HASH,
    "8d2793384aac3773beab5e59bd5d6f585aedb923d292800119e03d40cd0f9b41": CHAPTERS_HASH,
    // Later releases recognize the placeholder in any size.
    "thumbnail.endswith('/404_processing_{width}x{height}.png')":
      "re.search(r'/404_processing_[^.?#]+\\.png', thumbnail)",
  })) {
    expect(source).toContain(before);
    source = source.replaceAll(before, after);
  }
  const module = join(folder.path, "twitch.py");
  await writeFile(module, source);
  const { stdout } = await run("/usr/bin/python3", ["-c", RUN_YT_DLP, module, ...args], {
    cwd: folder.path,
    maxBuffer: 16 * 1024 * 1024,
  });
  return stdout;
}

test("yt-dlp reads a VOD's metadata, renditions and chapters", async () => {
  const about = "%(id)s %(title)s %(uploader_id)s %(duration)s %(is_live)s %(chapters)j";
  const text = await runYtDlp("--print", about, "https://www.twitch.tv/videos/2000000001");
  expect(text).toMatch(
    /^v2000000001 Two hours of calm flying pixelpilot 7200 False \[\{"start_time": 0.*\}, \{.*\}\]\n$/,
  );
  const formats = await runYtDlp("--list-formats", "https://www.twitch.tv/videos/2000000001");
  expect(formats).toMatch(/1280x720.*Source/);
  const picture = await runYtDlp(
    "--print",
    "%(thumbnail)s",
    "https://www.twitch.tv/videos/2000000001",
  );
  expect((await fetch(picture.trim())).status).toBe(200);
});

test("yt-dlp recognizes an ongoing broadcast as live", async () => {
  const text = await runYtDlp("--print", "is_live", "https://www.twitch.tv/videos/2000001101");
  expect(text).toBe("True\n");
});

test("yt-dlp reports that a deleted VOD does not exist", async () => {
  await expect(
    runYtDlp("--dump-json", "https://www.twitch.tv/videos/2000001080"),
  ).rejects.toMatchObject({ stderr: expect.stringContaining("does not exist") });
});

test.each([
  ["MPEG-TS", "2000001010"],
  ["muted segments", "2000001050"],
  ["byte ranges", "2000001140"],
])("yt-dlp downloads %s byte for byte", async (_what, vodId) => {
  const file = join(folder.path, "vod.ts");
  const options = "--quiet --fixup never --downloader native --hls-use-mpegts -f best -o".split(
    " ",
  );
  await runYtDlp(...options, file, `https://www.twitch.tv/videos/${vodId}`);
  const sha256 = hash("sha256", await readFile(file));
  expect(sha256).toBe((await standIn.control.sourceDigest(vodId)).sha256);
});
