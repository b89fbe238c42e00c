import type { TwitchUserId, TwitchVodId } from "#contract/ids.ts";
import { Failure } from "#service/failure.ts";
import { SourceError } from "#service/twitch/source-error.ts";
import type { TwitchApi } from "#service/twitch/twitch-api.ts";
import type { TwitchUser, TwitchVideo, VodSource } from "#service/twitch/twitch-client.ts";

export type SourceLookup = {
  /** A VOD and its owner. @throws {Failure} not_found or upstream_error */
  find(vodId: TwitchVodId): Promise<{ video: TwitchVideo; owner: TwitchUser }>;
  /** Bits a second of the rendition that would be copied; null when Twitch does not tell now. */
  sourceBitrate(vodId: TwitchVodId): Promise<number | null>;
};

export function createSourceLookup(
  source: Pick<VodSource, "getVideo" | "openPlayback">,
  api: Pick<TwitchApi, "users">,
): SourceLookup {
  return {
    async find(vodId) {
      const video = await asFailure(() => source.getVideo(vodId));
      return { video, owner: await findOwner(api, video) };
    },
    async sourceBitrate(vodId) {
      try {
        return (await source.openPlayback(vodId)).source.bandwidthBitsPerSec;
      } catch (error) {
        if (error instanceof SourceError) return null;
        throw error;
      }
    },
  };
}

/** The VOD itself names its owner; the picture is a nicety that may be missing. */
async function findOwner(api: Pick<TwitchApi, "users">, video: TwitchVideo): Promise<TwitchUser> {
  const named: TwitchUser = {
    id: video.ownerId,
    login: video.ownerLogin,
    displayName: video.ownerDisplayName,
    email: null,
    profileImageUrl: null,
  };
  return (await findUser(api, video.ownerId)) ?? named;
}

async function findUser(
  api: Pick<TwitchApi, "users">,
  id: TwitchUserId,
): Promise<TwitchUser | null> {
  try {
    const [user] = await api.users([id]);
    return user ?? null;
  } catch (error) {
    if (error instanceof SourceError) return null;
    throw error;
  }
}

/** What the source refuses to an administrator at the console, in the API's own words. */
async function asFailure<Value>(run: () => Promise<Value>): Promise<Value> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const code = error.failureClass === "gone_at_source" ? "not_found" : "upstream_error";
    throw new Failure(code, error.message, { cause: error });
  }
}
