import { UnitFault } from "#service/archiver/unit-fault.ts";
import { requestUnit } from "#service/archiver/unit-request.ts";
import { checkUnitBytes } from "#service/source/container.ts";
import { evaluateMediaAddress } from "#service/source/media-address.ts";
import type { MediaPlaylist, MediaSegment } from "#service/source/media-playlist.ts";
import { betterWithheld, chooseRendition } from "#service/source/rendition-choice.ts";
import type { Playback, SourceItem } from "#service/source/source.ts";
import { createBufferPool } from "#service/storage/buffer-pool.ts";
import { adviceInstead } from "./deployment-checks.ts";
import type { TwitchCheckup } from "./twitch-checkup.ts";

/** Twitch's own duration is rounded, and its last segment may be missing. */
const MAX_DURATION_DIFFERENCE_SEC = 20;

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
  { checkup, context, source, sightings, signal }: TwitchCheckup,
  segments: readonly MediaSegment[],
): Promise<void> {
  const reading = {
    source,
    clock: context.platform.clock,
    pool: createBufferPool(() => 0),
    onBytes: () => undefined,
    onSize: () => undefined,
  };
  /** Its size, or why an archive cannot use it. */
  async function readSegment(segment: MediaSegment): Promise<number | string> {
    try {
      const { bytes } = await requestUnit(reading, segment, signal);
      const kind = segment.initIndex === null ? "ts" : "fmp4-fragment";
      return checkUnitBytes(kind, bytes) ?? bytes.byteLength;
    } catch (error) {
      if (error instanceof UnitFault) return error.message;
      throw error;
    }
  }
  const [first, middle, last] = [0, Math.floor(segments.length / 2), segments.length - 1].map(
    (index) => segments[index],
  );
  for (const [place, segment] of Object.entries({ first, middle, last }))
    if (segment !== undefined)
      await checkup.check(`The ${place} segment`, async (say) => {
        const read = await readSegment(segment);
        if (typeof read === "number") say("ok", `${read} bytes`);
        else say("problem", `It cannot be used: ${read}. See docs/twitch.md#segments.`);
      });
  if (first === undefined) return;
  const statusOf = async (url: string, headers?: Record<string, string>) => {
    const { status, body } = await source.fetch(url, { signal, ...(headers && { headers }) });
    await body?.cancel();
    return status;
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
