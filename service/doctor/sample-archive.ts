import { checkUnitBytes } from "#service/source/container.ts";
import { evaluateMediaAddress } from "#service/source/media-address.ts";
import { createMediaFetch, type MediaFetch } from "#service/source/media-fetch.ts";
import type { MediaPlaylist, MediaSegment } from "#service/source/media-playlist.ts";
import { betterWithheld, chooseRendition } from "#service/source/rendition-choice.ts";
import type { Playback, SourceItem } from "#service/source/source.ts";
import { readBytes } from "#service/source/upstream-request.ts";
import { mediaHostsOf } from "#service/twitch/twitch-source.ts";
import { adviceInstead } from "./deployment-checks.ts";
import type { TwitchCheckup } from "./twitch-checkup.ts";

/** Twitch's own duration is rounded, and its last segment may be missing. */
const MAX_DURATION_DIFFERENCE_SEC = 20;

/** Above the largest segment of a 4K broadcast. */
const MAX_SEGMENT_BYTES = 64 * 1024 * 1024;

/** Plans an archive of the sample, without media. Null if that is not possible. */
export async function planSample(
  { checkup, context, sightings, source, signal }: TwitchCheckup,
  item: SourceItem,
): Promise<MediaPlaylist | null> {
  const playback = await checkup.check("Playback", async (say) => {
    const opened = await source.open(item.id, signal);
    const chosen = chooseRendition(opened, "best");
    const withheld = betterWithheld(opened, chosen, "best");
    const names = opened.renditions.map(({ name }) => name).join(", ");
    if (withheld === null) say("ok", `${names}; archived is ${chosen.name}`);
    else say("advice", `Twitch withholds ${withheld.label}; archived is ${chosen.name}.`);
    return opened;
  });
  if (playback === null) return null;
  await checkup.check("Media hosts", async (say) => {
    const refused = new Set<string>();
    for (const address of mediaAddresses(item, playback)) {
      const { host } = new URL(address);
      // Distributions have names of their own; the domain is what may change.
      sightings.saw(`media on *.${host.split(".").slice(-2).join(".")}`);
      if (!evaluateMediaAddress(address, context.settings.TWITCH_MEDIA_HOSTS).allowed)
        refused.add(host);
    }
    if (refused.size > 0)
      say(
        "problem",
        `Twitch lists media on ${[...refused].join(", ")}, which TWITCH_MEDIA_HOSTS does not allow. ` +
          "Add it there if it is Twitch's.",
      );
  });
  return await checkup.check("Playlist", async (say) => {
    const read = await source.list(chooseRendition(playback, "best"), signal);
    const totalSec = Math.round(
      read.segments.reduce((sum, { durationSec }) => sum + durationSec, 0),
    );
    const statedSec = item.durationSec ?? totalSec;
    const text = `${read.segments.length} segments, ${totalSec} s; Helix says ${statedSec} s`;
    const isShort = Math.abs(totalSec - statedSec) > MAX_DURATION_DIFFERENCE_SEC;
    say(isShort || !read.isEnded ? "advice" : "ok", `${text}${read.isEnded ? "" : "; not ended"}`);
    return read;
  });
}

function mediaAddresses({ thumbnailUrl }: SourceItem, { renditions }: Playback): string[] {
  const playlists = renditions.map(({ playlistUrl }) => playlistUrl);
  return thumbnailUrl === null ? playlists : [...playlists, thumbnailUrl];
}

/** Reads three segments, and what an archive has besides its video. */
export async function readSample(
  twitch: TwitchCheckup,
  item: SourceItem,
  playlist: MediaPlaylist | null,
): Promise<void> {
  const { checkup, source, signal } = twitch;
  if (playlist !== null) await readSegments(twitch, playlist.segments);
  await checkup.check("Chat", async (say) => {
    for await (const { comments } of source.readChat(item.id, { sec: 0, knownIds: [] }, signal)) {
      say("ok", `${comments.length} comments on the first page`);
      break;
    }
  });
  // Archives are whole without them.
  await checkup.check("Chapters, storyboard, picture", async (say) => {
    const { thumbnail } = await source.readPictures(item.id, signal);
    if (item.thumbnailUrl !== null && thumbnail === null)
      say("advice", "The picture cannot be read.");
    await source.readChapters(item.id, signal).catch(adviceInstead(say));
  });
}

async function readSegments(
  { checkup, context, sightings, signal }: TwitchCheckup,
  segments: readonly MediaSegment[],
): Promise<void> {
  const fetchMedia = createMediaFetch(context.platform.fetch, mediaHostsOf(context.settings));
  const [first, middle, last] = [0, Math.floor(segments.length / 2), segments.length - 1].map(
    (index) => segments[index],
  );
  for (const [place, segment] of Object.entries({ first, middle, last }))
    if (segment !== undefined)
      await checkup.check(`The ${place} segment`, async (say) => {
        const { bytes, fault } = await fetchSegment(fetchMedia, segment, signal);
        if (fault === null) say("ok", `${bytes.byteLength} bytes`);
        else say("problem", `It cannot be used: ${fault}. See docs/twitch.md#segments.`);
      });
  if (first === undefined) return;
  const statusOf = async (url: string, headers?: Record<string, string>) => {
    const { response } = await fetchMedia(url, { signal, ...(headers && { headers }) });
    await response.body?.cancel();
    return response.status;
  };
  await checkup.check("Ranges", async (say) => {
    const status = await statusOf(first.url, { range: "bytes=0-187" });
    sightings.answered("a range of a segment", String(status));
    if (status !== 206) say("advice", "The media host ignores ranges; old VODs need them.");
  });
  await checkup.check("A segment that does not exist", async (say) => {
    const status = await statusOf(new URL("999999999.ts", first.url).href);
    sightings.answered("a segment that does not exist", String(status));
    if (status === 200) say("problem", "The media host says that it exists.");
    else say("ok", `status ${status}`);
  });
}

async function fetchSegment(fetchMedia: MediaFetch, segment: MediaSegment, signal: AbortSignal) {
  const { byteRange } = segment;
  const headers: Record<string, string> =
    byteRange === null
      ? {}
      : { range: `bytes=${byteRange.offset}-${byteRange.offset + byteRange.length - 1}` };
  const { response } = await fetchMedia(segment.url, { headers, signal });
  const bytes =
    response.body === null
      ? new Uint8Array()
      : await readBytes(response.body, "The media host", MAX_SEGMENT_BYTES);
  if (response.status !== 200 && response.status !== 206)
    return { bytes, fault: `the media host answered with status ${response.status}` };
  const kind = segment.initIndex === null ? "ts" : "fmp4-fragment";
  return { bytes, fault: checkUnitBytes(kind, bytes) };
}
