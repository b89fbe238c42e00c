import process from "node:process";
import { twitchUserIdSchema } from "#contract/ids.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { countSocketMemoryWithHeap } from "#hosts/node/memory-limits.ts";
import { createLogSink } from "#hosts/node/log-sink.ts";
import { openNodePlatform } from "#hosts/node/platform.ts";
import { createArchiver } from "#service/archiver/archiver.ts";
import type { ServiceContext } from "#service/context.ts";
import { meterPlatform } from "#service/costs/meter-platform.ts";
import { sql } from "#service/db/sql.ts";
import { readSettings } from "#service/settings.ts";
import { createLogger } from "#service/system/logger.ts";
import { createMediaFetch } from "#service/twitch/media-fetch.ts";
import { readPlaylist } from "#service/twitch/read-playlist.ts";
import type { Rendition, VodSource } from "#service/twitch/twitch-client.ts";

/**
 * The archive engine with the node host's own parts, copying from the bench's origin: all of the
 * product except sign-in and calls to Twitch's API. Arguments: the data folder, the playlist's URL,
 * and the VOD's length in seconds.
 */
const [folder = "", playlistUrl = "", durationSec = "0"] = process.argv.slice(2);
countSocketMemoryWithHeap();
const settings = readSettings({ ARCHIVE_CONCURRENCY: "1" });
const logs = createLogSink(systemClock, { write: () => true });
const host = await openNodePlatform(settings, folder, logs);
const { platform } = meterPlatform(host.platform);
const context: ServiceContext = { platform, settings, log: createLogger(systemClock, logs) };
const fetchMedia = createMediaFetch(platform.fetch, [new URL(playlistUrl).host]);
const rendition: Rendition = {
  name: "chunked",
  playlistUrl,
  bandwidthBitsPerSec: 6_800_000,
  codecs: null,
  resolution: null,
  framesPerSec: null,
};
const source: VodSource = {
  getVideo: async (vodId) => ({
    id: vodId,
    ownerId: twitchUserIdSchema.parse("1"),
    ownerLogin: "bench",
    ownerDisplayName: "Bench",
    title: "Bench",
    createdAt: new Date(0),
    durationSec: Number(durationSec),
    thumbnailUrl: null,
    isRecording: false,
    mutedRanges: [],
  }),
  openPlayback: async () => ({ source: rendition, renditions: [rendition], withheld: [] }),
  readPlaylist: (chosen, signal) => readPlaylist(fetchMedia, chosen, platform.clock.now(), signal),
  async *readChat() {},
  fetchMedia: async (url, init) => (await fetchMedia(url, init)).response,
};
const archiver = createArchiver(context, source);
const nowMs = platform.clock.now();
await platform.database.batch([
  sql`INSERT INTO users (id, login, display_name, created_at) VALUES ('1', 'bench', 'Bench', ${nowMs})`,
  sql`INSERT INTO uploads (id, kind, vod_id, filename, owner_id, rights, status, max_retries,
      created_at, updated_at)
    VALUES ('bench', 'twitch', '1', 'bench.ts', '1', 'administrator_confirmed', 'pending', 3,
      ${nowMs}, ${nowMs})`,
]);
const startedMs = performance.now();
await archiver.consume({ uploadId: "bench" });
const copiedMs = performance.now() - startedMs;
const [row] = await platform.database.all(sql`SELECT status, stored_bytes FROM uploads`);
await host.quiesce();
await host.close();
process.stdout.write(
  `${JSON.stringify({ status: row?.status, storedBytes: row?.stored_bytes, copiedMs })}\n`,
);
