import { createAppToken } from "./app-token.ts";
import { readChatReplay } from "./chat-replay.ts";
import { describeVideo } from "./describe-video.ts";
import { createGqlClient, type GqlClient } from "./gql-client.ts";
import type { HelixVideo } from "./helix-shapes.ts";
import { createMediaFetch } from "./media-fetch.ts";
import { openPlayback } from "./open-playback.ts";
import { goneAtSource, readVodState, type VodState } from "./playback-token.ts";
import { readPlaylist } from "./read-playlist.ts";
import { SourceError } from "#service/hls/source-error.ts";
import { createTwitchApi, type TwitchApi } from "./twitch-api.ts";
import type { VodSource } from "./twitch-client.ts";
import type { TwitchSurroundings } from "./twitch-surroundings.ts";

/** The archiver's client of Twitch. Create it once, because it caches the app token. */
export function createTwitchSource(
  surroundings: TwitchSurroundings,
  api: TwitchApi = createTwitchApi(surroundings, createAppToken(surroundings)),
): VodSource {
  const { platform, settings } = surroundings;
  const gql = createGqlClient(surroundings);
  const fetchMedia = createMediaFetch(platform.fetch, settings.TWITCH_MEDIA_HOSTS);
  return {
    async getVideo(vodId, signal) {
      const video = await api.video(vodId, signal);
      if (video === null) throw goneAtSource();
      return describeVideo(video, await isRecording(gql, api, video, signal));
    },
    openPlayback: (vodId, signal) => openPlayback(surroundings, gql, vodId, signal),
    readPlaylist: (rendition, signal) =>
      readPlaylist(fetchMedia, rendition, platform.clock.now(), signal),
    readChat: (vodId, signal) => readChatReplay(gql, platform.clock, vodId, signal),
    fetchMedia: async (url, init) => (await fetchMedia(url, init)).response,
  };
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
  const state = await askVodState(gql, video, signal);
  if (state !== "unstated") return state === "recording";
  const stream = await api.stream(video.user_id, signal);
  return stream !== null && stream.id === video.stream_id;
}

async function askVodState(
  gql: GqlClient,
  video: HelixVideo,
  signal: AbortSignal | undefined,
): Promise<VodState> {
  try {
    return await readVodState(gql, video.id, signal);
  } catch (error) {
    if (error instanceof SourceError) return "unstated";
    throw error;
  }
}
