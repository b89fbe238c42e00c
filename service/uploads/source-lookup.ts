import type { TwitchUserId, TwitchVodId } from "#contract/ids.ts";
import { Failure } from "#service/failure.ts";
import { SourceError } from "#service/twitch/source-error.ts";
import type { TwitchApi } from "#service/twitch/twitch-api.ts";
import type { TwitchUser, TwitchVideo, VodSource } from "#service/twitch/twitch-client.ts";

/** The console gives up after 10 s (docs/console.md#session) and would not see our answer. */
const PATIENCE_MS = 7_000;

export type SourceLookup = {
  /** A VOD and its owner. @throws {Failure} not_found or upstream_error */
  find(vodId: TwitchVodId): Promise<{ video: TwitchVideo; owner: TwitchUser }>;
  /** Bits a second of the rendition that would be copied; null when Twitch does not tell now. */
  sourceBitrate(vodId: TwitchVodId): Promise<number | null>;
  /** What a channel is about now; null when it names nothing or Twitch does not tell now. */
  channelCategory(ownerId: TwitchUserId): Promise<string | null>;
};

export function createSourceLookup(
  source: Pick<VodSource, "getVideo" | "openPlayback">,
  api: Pick<TwitchApi, "users" | "channel">,
): SourceLookup {
  return {
    async find(vodId) {
      const patience = AbortSignal.timeout(PATIENCE_MS);
      const video = await asFailure(patience, () => source.getVideo(vodId, patience));
      return { video, owner: await findOwner(api, video, patience) };
    },
    async sourceBitrate(vodId) {
      const patience = AbortSignal.timeout(PATIENCE_MS);
      return await orNull(
        patience,
        async () => (await source.openPlayback(vodId, patience)).source.bandwidthBitsPerSec,
      );
    },
    async channelCategory(ownerId) {
      const patience = AbortSignal.timeout(PATIENCE_MS);
      return await orNull(
        patience,
        async () => (await api.channel(ownerId, patience))?.game_name || undefined,
      );
    },
  };
}

/** The VOD itself names its owner; the picture is a nicety that may be missing. */
async function findOwner(
  api: Pick<TwitchApi, "users">,
  video: TwitchVideo,
  patience: AbortSignal,
): Promise<TwitchUser> {
  const found = await orNull(patience, async () => (await api.users([video.ownerId], patience))[0]);
  return (
    found ?? {
      id: video.ownerId,
      login: video.ownerLogin,
      displayName: video.ownerDisplayName,
      email: null,
      profileImageUrl: null,
    }
  );
}

/** What can be done without when the source does not give it in time. */
async function orNull<Value>(
  patience: AbortSignal,
  run: () => Promise<Value | undefined>,
): Promise<Value | null> {
  try {
    return (await run()) ?? null;
  } catch (error) {
    if (error instanceof SourceError || patience.aborted) return null;
    throw error;
  }
}

/** What the source refuses to an administrator at the console, in the API's own words. */
async function asFailure<Value>(patience: AbortSignal, run: () => Promise<Value>): Promise<Value> {
  try {
    return await run();
  } catch (error) {
    if (patience.aborted)
      throw new Failure("upstream_error", "Twitch did not answer in time. Please try again.", {
        cause: error,
      });
    if (!(error instanceof SourceError)) throw error;
    const code = error.failureClass === "gone_at_source" ? "not_found" : "upstream_error";
    throw new Failure(code, error.message, { cause: error });
  }
}
