import process from "node:process";
import { systemClock } from "#hosts/ports/clock.ts";
import { countSocketMemoryWithHeap } from "#hosts/node/memory-limits.ts";
import { createLogSink } from "#hosts/node/log-sink.ts";
import { openNodePlatform } from "#hosts/node/platform.ts";
import { createArchiver } from "#service/archiver/archiver.ts";
import { openContext } from "#service/open-context.ts";
import type { ReceivedResponse } from "#service/ports/receive.ts";
import { sql } from "#service/db/sql.ts";
import { readSettings } from "#service/settings.ts";
import { createMediaFetch, type MediaHosts } from "#service/source/media-fetch.ts";
import { readPlaylist } from "#service/source/read-playlist.ts";
import type { Rendition, Source } from "#service/source/source.ts";

/**
 * The archive engine with the node host's own parts, copying from the bench's origin: all of the
 * product except sign-in and calls to Twitch's API. Arguments: the data folder, the playlist's URL,
 * the VOD's length in seconds, and how many archives of it run at once.
 */
const [folder = "", playlistUrl = "", durationSec = "0", archives = "1"] = process.argv.slice(2);
countSocketMemoryWithHeap();
const settings = readSettings({ ARCHIVE_CONCURRENCY: archives });
const logs = createLogSink(systemClock, { write: () => true });
const host = await openNodePlatform(settings, folder, logs);
const { context } = openContext(host.platform, settings);
const { platform } = context;
const hosts: MediaHosts = {
  names: [new URL(playlistUrl).host],
  setting: "the bench",
  unlisted: "source_corrupt",
};
const fetchMedia = createMediaFetch(platform.fetch, hosts);
const receiveMedia = createMediaFetch<ReceivedResponse>(platform.receive ?? platform.fetch, hosts);
const rendition: Rendition = {
  name: "chunked",
  playlistUrl,
  bandwidthBitsPerSec: 6_800_000,
  codecs: null,
  resolution: null,
  framesPerSec: null,
};
const source: Source = {
  name: "The origin",
  identify: async (text) => ({ itemId: text, reference: text }),
  describe: async (id) => ({
    id,
    owner: { id: "1", login: "bench", displayName: "Bench", profileImageUrl: null },
    title: "Bench",
    fileStem: "bench",
    createdAt: new Date(0),
    durationSec: Number(durationSec),
    thumbnailUrl: null,
    isRecording: false,
    broadcastId: null,
  }),
  open: async () => ({
    renditions: [{ ...rendition, isMarkedSource: true, isPortrait: false }],
    withheld: [],
  }),
  list: ({ playlistUrl: url }, signal) =>
    readPlaylist(fetchMedia, [url], platform.clock.now(), signal),
  fetch: async (url, init) => (await receiveMedia(url, init)).response,
};
const archiver = createArchiver(context, { twitch: source });
const nowMs = platform.clock.now();
const uploadIds = Array.from({ length: Number(archives) }, (_, index) => `bench-${index}`);
await platform.database.batch([
  sql`INSERT INTO users (id, login, display_name, created_at) VALUES ('1', 'bench', 'Bench', ${nowMs})`,
  ...uploadIds.map(
    (id) => sql`INSERT INTO uploads (id, kind, vod_id, filename, owner_id, rights, status,
      max_retries, created_at, updated_at)
    VALUES (${id}, 'twitch', ${id}, 'bench.ts', '1', 'administrator_confirmed', 'pending', 3,
      ${nowMs}, ${nowMs})`,
  ),
]);
await Promise.all(uploadIds.map((uploadId) => archiver.consume({ uploadId })));
const unfinished = await platform.database.all(
  sql`SELECT id, status, error_message FROM uploads WHERE status <> 'completed'`,
);
await host.quiesce();
await host.close();
if (unfinished.length > 0) throw new Error(JSON.stringify(unfinished));
