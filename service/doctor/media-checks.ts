import * as z from "zod/mini";
import type { TwitchVodId } from "#contract/ids.ts";
import { parseAttributeList } from "#service/source/attribute-list.ts";
import { checkUnitBytes } from "#service/source/container.ts";
import { fetchPicture } from "#service/source/fetch-picture.ts";
import { evaluateMediaAddress } from "#service/source/media-address.ts";
import { createMediaFetch, type MediaFetch } from "#service/source/media-fetch.ts";
import type { MediaPlaylist, MediaSegment } from "#service/source/media-playlist.ts";
import { nonBlankLines } from "#service/source/playlist-text.ts";
import { betterWithheld, chooseRendition } from "#service/source/rendition-choice.ts";
import { readPlaylist } from "#service/source/read-playlist.ts";
import type { Playback } from "#service/source/source.ts";
import { readBytes } from "#service/source/upstream-request.ts";
import { describeVideo } from "#service/twitch/describe-video.ts";
import type { HelixVideo } from "#service/twitch/helix-shapes.ts";
import { openPlayback } from "#service/twitch/open-playback.ts";
import { parseJson } from "#service/parse-json.ts";
import { type PlaybackToken, requestPlaybackToken } from "#service/twitch/playback-token.ts";
import { mediaHostsOf } from "#service/twitch/twitch-source.ts";
import { askUsher, type UsherAnswer } from "#service/twitch/usher.ts";
import { quoteTwitch } from "#service/twitch/twitch-words.ts";
import { readChapters } from "#service/twitch/vod-chapters.ts";
import { readStoryboard } from "#service/twitch/vod-pictures.ts";
import type { TwitchCheckup } from "./twitch-checkup.ts";

/** Twitch's own duration is rounded, and its last segment may be missing. */
const MAX_DURATION_DIFFERENCE_SEC = 20;

/** Above the largest segment of a 4K broadcast. */
const MAX_SEGMENT_BYTES = 64 * 1024 * 1024;

/** From the token to bytes of segments. */
export async function checkMedia(twitch: TwitchCheckup, video: HelixVideo): Promise<void> {
  const { platform, settings } = twitch.context;
  const fetchMedia = createMediaFetch(platform.fetch, mediaHostsOf(settings));
  const playlist = await checkPlayback(twitch, fetchMedia, video);
  if (playlist !== null) await checkSegments(twitch, fetchMedia, playlist);
  await checkExtras(twitch, fetchMedia, video);
}

/** From the token to the playlist, which is null if there is none. */
export async function checkPlayback(
  twitch: TwitchCheckup,
  fetchMedia: MediaFetch,
  video: HelixVideo,
): Promise<MediaPlaylist | null> {
  const { checkup, context, gql, signal, recorded } = twitch;
  const { platform } = context;
  await checkTokens(twitch, video.id);
  const playback = await checkup.check("Renditions", async (say) => {
    const opened = await openPlayback(context, gql, video.id, signal);
    const chosen = chooseRendition(opened, "best");
    const withheld = betterWithheld(opened, chosen, "best");
    const names = opened.renditions.map(({ name }) => name).join(", ");
    if (withheld === null) say("ok", `${names}; archived is ${chosen.name}`);
    else say("advice", `Twitch withholds ${withheld.label}; archived is ${chosen.name}.`);
    return opened;
  });
  if (playback === null) return null;
  await checkHosts(twitch, video, playback);
  const chosen = chooseRendition(playback, "best");
  const playlist = await checkup.check("Playlist", async (say) => {
    const read = await readPlaylist(fetchMedia, [chosen.playlistUrl], platform.clock.now(), signal);
    const totalSec = Math.round(
      read.segments.reduce((sum, { durationSec }) => sum + durationSec, 0),
    );
    const statedSec = describeVideo(video, false).durationSec ?? totalSec;
    const text = `${read.segments.length} segments, ${totalSec} s; Helix says ${statedSec} s`;
    const isShort = Math.abs(totalSec - statedSec) > MAX_DURATION_DIFFERENCE_SEC;
    say(isShort || !read.isEnded ? "advice" : "ok", `${text}${read.isEnded ? "" : "; not ended"}`);
    return read;
  });
  for (const { url, text } of recorded)
    if (new URL(url).pathname.endsWith(".m3u8")) noteTags(twitch, text);
  return playlist;
}

async function checkTokens(twitch: TwitchCheckup, vodId: TwitchVodId): Promise<void> {
  const { checkup, context, gql, signal } = twitch;
  const token = await checkup.check("Playback token", async (say) => {
    const given = await requestPlaybackToken(gql, vodId, signal);
    const expires = parseJson(z.object({ expires: z.number() }), given.value)?.expires;
    const hours = ((expires ?? 0) - context.platform.clock.now() / 1_000) / 3_600;
    if (expires !== undefined) say("ok", `valid for ${hours.toFixed(1)} h`);
    return given;
  });
  if (token === null) return;
  await checkUsher(twitch, vodId, token, "v2");
  await checkUsher(twitch, vodId, token, "v1");
}

/** One of both versions is enough. */
async function checkUsher(
  { checkup, context, signal }: TwitchCheckup,
  vodId: TwitchVodId,
  token: PlaybackToken,
  generation: "v1" | "v2",
): Promise<void> {
  await checkup.check(`Playlist server ${generation}`, async (say) => {
    const answer = await askUsher(context, generation, vodId, token, signal);
    const refusal = refusalOf(answer);
    checkup.answered(`the playlist server's ${generation}`, refusal ?? "a list of renditions");
    if (refusal !== null) say("advice", refusal);
  });
}

function refusalOf(answer: UsherAnswer): string | null {
  if (answer.kind === "master") return null;
  return "error" in answer
    ? answer.error.message
    : quoteTwitch(`It answers “${answer.kind.replaceAll("_", " ")}”.`, answer.said);
}

async function checkHosts(
  { checkup, context }: TwitchCheckup,
  video: HelixVideo,
  { renditions }: Playback,
): Promise<void> {
  await checkup.check("Media hosts", async (say) => {
    const picture = describeVideo(video, false).thumbnailUrl;
    const addresses = [
      ...renditions.map(({ playlistUrl }) => playlistUrl),
      ...(picture === null ? [] : [picture]),
    ];
    const refused = new Set<string>();
    for (const address of addresses) {
      const { host } = new URL(address);
      // Distributions have names of their own; the domain is what may change.
      checkup.saw(`media on *.${host.split(".").slice(-2).join(".")}`);
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
}

function noteTags({ checkup }: TwitchCheckup, text: string): void {
  for (const [, line] of nonBlankLines(text)) {
    const [, tag, rest = ""] = /^#([A-Z0-9-]+)(?::(.*))?$/.exec(line) ?? [];
    if (tag === undefined) continue;
    checkup.saw(`tag ${tag}`);
    if (/^EXT-X-(?:STREAM-INF|MEDIA|MAP|SESSION-DATA)$/.test(tag))
      for (const name of parseAttributeList(rest).keys())
        checkup.saw(`attribute ${name} of ${tag}`);
  }
}

async function checkSegments(
  { checkup, signal }: TwitchCheckup,
  fetchMedia: MediaFetch,
  { segments }: MediaPlaylist,
): Promise<void> {
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
  await checkup.check("Ranges", async (say) => {
    const headers = { range: "bytes=0-187" };
    const { response } = await fetchMedia(first.url, { headers, signal });
    await response.body?.cancel();
    checkup.answered("a range of a segment", String(response.status));
    if (response.status !== 206)
      say("advice", "The media host ignores ranges; old VODs need them.");
  });
  await checkup.check("A segment that does not exist", async (say) => {
    const { response } = await fetchMedia(new URL("999999999.ts", first.url).href, { signal });
    await response.body?.cancel();
    checkup.answered("a segment that does not exist", String(response.status));
    if (response.status === 200) say("problem", "The media host says that it exists.");
    else say("ok", `status ${response.status}`);
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

/** Archives are whole without them. */
async function checkExtras(
  { checkup, gql, signal }: TwitchCheckup,
  fetchMedia: MediaFetch,
  video: HelixVideo,
): Promise<void> {
  await checkup.check("Chapters, storyboard, picture", async (say) => {
    const picture = describeVideo(video, false).thumbnailUrl;
    const results = await Promise.allSettled([
      readChapters(gql, video.id, signal),
      readStoryboard(gql, fetchMedia, video.id, signal),
      picture === null ? null : fetchPicture(fetchMedia, picture, signal),
    ]);
    const faults = results.flatMap((result) =>
      result.status === "rejected" && result.reason instanceof Error ? [result.reason.message] : [],
    );
    if (faults.length > 0) say("advice", faults.join(" "));
  });
}
