import type { TwitchUserId, TwitchVodId } from "#contract/ids.ts";
import { Failure } from "#service/failure.ts";
import { SourceError } from "#service/hls/source-error.ts";
import type { TwitchApi } from "#service/twitch/twitch-api.ts";
import type { TwitchUser, TwitchVideo, VodSource } from "#service/twitch/twitch-client.ts";

/** Shorter than the console's timeout of 10 s (docs/console.md#session). */
const PATIENCE_MS = 7_000;

export type SourceLookup = {
  /** A VOD and its owner. @throws {Failure} not_found or upstream_error */
  find(vodId: TwitchVodId): Promise<{ video: TwitchVideo; owner: TwitchUser }>;
  /** Bits per second of the rendition that would be copied; null if Twitch does not answer. */
  sourceBitrate(vodId: TwitchVodId): Promise<number | null>;
  /** The channel's current category; null if it has none or Twitch does not answer. */
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

/** Falls back to the VOD's own data, which lacks only the owner's picture. */
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

/** For optional data: null if the source fails or does not answer in time. */
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

/** Maps source errors and timeouts to API failures. */
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
