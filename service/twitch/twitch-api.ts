import type { TwitchUserId, TwitchVodId } from "#contract/ids.ts";
import type { AppToken } from "./app-token.ts";
import { createHelixRequest } from "./helix-request.ts";
import {
  type HelixChannel,
  helixChannelSchema,
  type HelixStream,
  helixStreamSchema,
  type HelixUser,
  helixUserSchema,
  type HelixVideo,
  helixVideoSchema,
} from "./helix-shapes.ts";
import type { TwitchContext } from "./twitch-context.ts";
import type { FetchLimits } from "#service/source/upstream-request.ts";

export type TwitchUser = {
  readonly id: TwitchUserId;
  readonly login: string;
  readonly displayName: string;
  readonly email: string | null;
  readonly profileImageUrl: string | null;
};

/**
 * Client of Helix, Twitch's documented API. Items with ids that were not requested are dropped. At
 * most 100 ids per call, which is Helix's limit. Throws `SourceError`.
 */
export type TwitchApi = {
  users(ids: readonly TwitchUserId[], signal?: AbortSignal): Promise<readonly TwitchUser[]>;
  /** Null when Twitch does not know the VOD, or no longer does. */
  video(id: TwitchVodId, signal?: AbortSignal): Promise<HelixVideo | null>;
  /** Null when Twitch does not know the user. */
  channel(userId: TwitchUserId, signal?: AbortSignal): Promise<HelixChannel | null>;
  /** Null when the user is not live. */
  stream(userId: TwitchUserId, signal?: AbortSignal): Promise<HelixStream | null>;
};

export function createTwitchApi(
  context: TwitchContext,
  appToken: AppToken,
  limits?: FetchLimits,
): TwitchApi {
  const ask = createHelixRequest(context, appToken, limits);
  return {
    async users(ids, signal) {
      if (ids.length === 0) return [];
      const query = ids.map((id) => ["id", id] as const);
      const users = await ask("/users", query, helixUserSchema, signal);
      return users.filter((user) => ids.includes(user.id)).map(describeUser);
    },
    async video(id, signal) {
      const videos = await ask("/videos", [["id", id]], helixVideoSchema, signal);
      return videos.find((video) => video.id === id) ?? null;
    },
    async channel(userId, signal) {
      const query = [["broadcaster_id", userId]] as const;
      const channels = await ask("/channels", query, helixChannelSchema, signal);
      return channels.find((channel) => channel.broadcaster_id === userId) ?? null;
    },
    async stream(userId, signal) {
      const streams = await ask("/streams", [["user_id", userId]], helixStreamSchema, signal);
      return streams.find((stream) => stream.user_id === userId) ?? null;
    },
  };
}

export function describeUser(user: HelixUser): TwitchUser {
  return {
    id: user.id,
    login: user.login,
    displayName: user.display_name === "" ? user.login : user.display_name,
    email: user.email ?? null,
    profileImageUrl:
      user.profile_image_url === undefined || user.profile_image_url === ""
        ? null
        : user.profile_image_url,
  };
}
