import type { ReceivedResponse } from "#service/ports/receive.ts";
import { createAppToken } from "./app-token.ts";
import { readChatReplay } from "./chat-replay.ts";
import { describeVideo } from "./describe-video.ts";
import { createGqlClient } from "./gql-client.ts";
import type { HelixVideo } from "./helix-shapes.ts";
import type { Broadcasting } from "#service/source/broadcast-end.ts";
import { agree, type Testimony } from "#service/source/existence.ts";
import { fetchPicture, type Picture } from "#service/source/fetch-picture.ts";
import { createMediaFetch, type MediaFetch, type MediaHosts } from "#service/source/media-fetch.ts";
import { openPlayback } from "./open-playback.ts";
import { goneAtSource, readVodState, type VodState } from "./playback-token.ts";
import { parseVodReference } from "./parse-vod-reference.ts";
import { readPlaylist } from "#service/source/read-playlist.ts";
import type { Source } from "#service/source/source.ts";
import { isListed } from "#service/source/media-address.ts";
import { ExistenceDisputed, LeadsAway, SourceError } from "#service/source/source-error.ts";
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
      const vodId = twitchVodIdSchema.parse(reference);
      const [video, state] = await Promise.all([
        api.video(vodId, signal),
        orError(readVodState(gql, vodId, signal)),
      ]);
      if (video === null) throw missingInApi(state);
      return describeVideo(video, await isRecording(api, video, state, signal));
    },
    async open(reference, signal) {
      const vodId = twitchVodIdSchema.parse(reference);
      try {
        return await openPlayback(context, gql, vodId, signal);
      } catch (error) {
        if (!(error instanceof SourceError) || error.failureClass !== "gone_at_source") throw error;
        throw missingInWebApi(await orError(api.video(vodId, signal)));
      }
    },
    async readEnd({ reference, ownerId, broadcastId }, signal) {
      const vodId = twitchVodIdSchema.parse(reference);
      const [video, state, stream] = await Promise.all([
        orError(api.video(vodId, signal)),
        orError(readVodState(gql, vodId, signal)),
        orError(api.stream(twitchUserIdSchema.parse(ownerId), signal)),
      ]);
      const isOther = (id: string) => typeof broadcastId === "string" && id !== broadcastId;
      return {
        witnesses: [
          endInWebApi(state),
          stream instanceof SourceError
            ? "unanswered"
            : stream === null || isOther(stream.id)
              ? "ended"
              : "live",
        ],
        durationSec: isVideo(video) ? describeVideo(video, false).durationSec : null,
        existence: agree([testimony(video, null), testimony(state, "missing")]),
      };
    },
    async list({ playlistUrl }, signal) {
      const addresses = [playlistUrl, unmutedName(playlistUrl)];
      try {
        return await readPlaylist(fetchMedia, addresses, platform.clock.now(), signal);
      } catch (error) {
        // Twitch has many hosts, and may be about to move the VOD.
        if (error instanceof LeadsAway && isListed(error.url, hosts.names))
          throw new SourceError("try_later", error.message, { cause: error });
        throw error;
      }
    },
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
  const answer = await orError(reading);
  return answer instanceof SourceError ? null : answer;
}

async function orError<Value>(reading: Promise<Value>): Promise<Value | SourceError> {
  try {
    return await reading;
  } catch (error) {
    if (error instanceof SourceError) return error;
    throw error;
  }
}

/** What an interface says of a VOD, if it answers with `none` for one that does not exist. */
function testimony(answer: unknown, none: unknown): Testimony {
  if (answer instanceof SourceError) return "unanswered";
  return answer === none ? "absent" : "present";
}

function isVideo(answer: HelixVideo | SourceError | null): answer is HelixVideo {
  return answer !== null && !(answer instanceof SourceError);
}

/** Helix lists no such VOD; `state` is what the web API says. */
function missingInApi(state: VodState | SourceError): SourceError {
  const heard = "Twitch's API lists no such VOD";
  if (state instanceof SourceError)
    return new SourceError("try_later", `${heard}, and its web API does not say: ${state.message}`);
  return state === "missing"
    ? goneAtSource()
    : new ExistenceDisputed(`${heard}, but its web API has it.`);
}

/** The web API has no such VOD; `video` is what Helix says. */
function missingInWebApi(video: HelixVideo | SourceError | null): SourceError {
  const heard = "Twitch's web API has no such VOD";
  if (video instanceof SourceError)
    return new SourceError("try_later", `${heard}, and its API does not say: ${video.message}`);
  return video === null ? goneAtSource() : new ExistenceDisputed(`${heard}, but its API lists it.`);
}

function endInWebApi(state: VodState | SourceError): Broadcasting {
  if (state === "recording") return "live";
  return state === "recorded" ? "ended" : "unanswered";
}

/**
 * The web API's status of the VOD. If that gives none, asks Helix whether the channel is live with
 * the stream that this VOD records.
 */
async function isRecording(
  api: TwitchApi,
  video: HelixVideo,
  state: VodState | SourceError,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (video.type !== "archive") return false;
  const said = endInWebApi(state);
  if (said !== "unanswered") return said === "live";
  const stream = await api.stream(video.user_id, signal);
  return stream !== null && stream.id === video.stream_id;
}
