import type { ReceivedResponse } from "#service/ports/receive.ts";
import { createAppToken } from "./app-token.ts";
import { readChatReplay } from "./chat-replay.ts";
import { describeVideo } from "./describe-video.ts";
import { createGqlClient, type GqlClient } from "./gql-client.ts";
import type { HelixVideo } from "./helix-shapes.ts";
import { fetchPicture, type Picture } from "#service/source/fetch-picture.ts";
import { createMediaFetch, type MediaFetch, type MediaHosts } from "#service/source/media-fetch.ts";
import { openPlayback } from "./open-playback.ts";
import { goneAtSource, readVodState } from "./playback-token.ts";
import { parseVodReference } from "./parse-vod-reference.ts";
import { readPlaylist } from "#service/source/read-playlist.ts";
import type { Source } from "#service/source/source.ts";
import { SourceError } from "#service/source/source-error.ts";
import { createTwitchApi, type TwitchApi } from "./twitch-api.ts";
import { twitchUserIdSchema, twitchVodIdSchema, type TwitchVodId } from "#contract/ids.ts";
import type { TwitchContext } from "./twitch-context.ts";
import { readChapters } from "./vod-chapters.ts";
import { readStoryboard } from "./vod-pictures.ts";

/** Twitch as a source; references are numbers of VODs. Create it once: it caches the app token. */
export function createTwitchSource(
  context: TwitchContext,
  api: TwitchApi = createTwitchApi(context, createAppToken(context)),
): Required<Source> {
  const { platform, settings } = context;
  const gql = createGqlClient(context);
  const hosts = mediaHostsOf(settings);
  const fetchMedia = createMediaFetch(platform.fetch, hosts);
  const receiveMedia = createMediaFetch<ReceivedResponse>(
    platform.receive ?? platform.fetch,
    hosts,
  );
  return {
    name: "Twitch",
    async identify(text) {
      const vodId = parseVodReference(text);
      return { itemId: vodId, reference: vodId };
    },
    async describe(reference, signal) {
      const video = await api.video(twitchVodIdSchema.parse(reference), signal);
      if (video === null) throw goneAtSource();
      return describeVideo(video, await isRecording(gql, api, video, signal));
    },
    open: (reference, signal) =>
      openPlayback(context, gql, twitchVodIdSchema.parse(reference), signal),
    list: (rendition, signal) =>
      readPlaylist(
        fetchMedia,
        [rendition.playlistUrl, unmutedName(rendition.playlistUrl)],
        platform.clock.now(),
        signal,
      ),
    readChat: (reference, from, signal) =>
      readChatReplay(gql, platform.clock, twitchVodIdSchema.parse(reference), from, signal),
    async readPictures(reference, signal) {
      const vodId = twitchVodIdSchema.parse(reference);
      const [thumbnail, storyboard] = await Promise.all([
        orNull(readThumbnail(api, fetchMedia, vodId, signal)),
        orNull(readStoryboard(gql, fetchMedia, vodId, signal)),
      ]);
      return { thumbnail, storyboard };
    },
    readChapters: (reference, signal) =>
      readChapters(gql, twitchVodIdSchema.parse(reference), signal),
    fetch: async (url, init) => (await receiveMedia(url, init)).response,
    owners: {
      find: async (ownerId, signal) =>
        (await api.users([twitchUserIdSchema.parse(ownerId)], signal))[0] ?? null,
      category: async (ownerId, signal) =>
        (await api.channel(twitchUserIdSchema.parse(ownerId), signal))?.game_name || null,
    },
  };
}

/** An operator can list a host that Twitch has moved to. */
export function mediaHostsOf({
  TWITCH_MEDIA_HOSTS: names,
}: Pick<TwitchContext["settings"], "TWITCH_MEDIA_HOSTS">): MediaHosts {
  return { names, setting: "TWITCH_MEDIA_HOSTS", unlisted: "try_later" };
}

/**
 * The names of old muted highlights never worked; the name without its muted part does
 * (docs/twitch.md#muted-segments).
 */
function unmutedName(playlistUrl: string): string {
  return playlistUrl.replace(/(\/highlight-\d+)-muted-\w+(?=\.m3u8$)/, "$1");
}

async function readThumbnail(
  api: TwitchApi,
  fetchMedia: MediaFetch,
  vodId: TwitchVodId,
  signal: AbortSignal | undefined,
): Promise<Picture | null> {
  const video = await api.video(vodId, signal);
  const address = video === null ? null : describeVideo(video, false).thumbnailUrl;
  return address === null ? null : await fetchPicture(fetchMedia, address, signal);
}

async function orNull<Value>(reading: Promise<Value>): Promise<Value | null> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof SourceError) return null;
    throw error;
  }
}

/**
 * Asks the web API for the VOD's status. If that gives none, asks Helix whether the channel is live
 * with the stream that this VOD records.
 */
async function isRecording(
  gql: GqlClient,
  api: TwitchApi,
  video: HelixVideo,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (video.type !== "archive") return false;
  const state = (await orNull(readVodState(gql, video.id, signal))) ?? "unstated";
  if (state !== "unstated") return state === "recording";
  const stream = await api.stream(video.user_id, signal);
  return stream !== null && stream.id === video.stream_id;
}
