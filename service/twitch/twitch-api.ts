import type { TwitchUserId, TwitchVodId } from "#contract/ids.ts";
import type { AppToken } from "./app-token.ts";
import { createHelixRequest, type HelixPage } from "./helix-request.ts";
import {
  type HelixChannel,
  helixChannelSchema,
  helixListedVideoSchema,
  type HelixStream,
  helixStreamSchema,
  type HelixUser,
  helixUserSchema,
  type HelixVideo,
  helixVideoSchema,
} from "./helix-shapes.ts";
import type { RequestLane } from "./request-budget.ts";
import type { TwitchContext } from "./twitch-context.ts";
import { SourceError } from "#service/source/source-error.ts";
import type { FetchLimits } from "#service/source/upstream-request.ts";

export type TwitchUser = {
  readonly id: TwitchUserId;
  readonly login: string;
  readonly displayName: string;
  readonly email: string | null;
  readonly profileImageUrl: string | null;
  /** "partner", "affiliate" or empty. */
  readonly broadcasterType: string;
};

/** By the name in lower case, or by the id. */
export type NamedUser = { readonly login: string } | { readonly id: TwitchUserId };

/**
 * Client of Helix, Twitch's documented API. Items with ids that were not requested are dropped. At
 * most 100 ids per call, which is Helix's limit. Throws `SourceError`.
 */
export type TwitchApi = {
  users(ids: readonly TwitchUserId[], signal?: AbortSignal): Promise<readonly TwitchUser[]>;
  /** At most 100. */
  usersNamed(names: readonly NamedUser[], signal?: AbortSignal): Promise<readonly TwitchUser[]>;
  /** Null when Twitch does not know the VOD, or no longer does. */
  video(id: TwitchVodId, signal?: AbortSignal): Promise<HelixVideo | null>;
  /** Of these, those that Twitch knows. */
  videos(ids: readonly TwitchVodId[], signal?: AbortSignal): Promise<readonly HelixVideo[]>;
  /**
   * A page of a user's VODs of all kinds, the newest first; `after` is the cursor of the page before.
   * Pages may overlap, be empty, or skip VODs, and invalid ones are left out.
   */
  videosOf(
    userId: TwitchUserId,
    after: string | null,
    signal?: AbortSignal,
  ): Promise<HelixPage<HelixVideo>>;
  /** Null when Twitch does not know the user. */
  channel(userId: TwitchUserId, signal?: AbortSignal): Promise<HelixChannel | null>;
  /** Null when the user is not live. */
  stream(userId: TwitchUserId, signal?: AbortSignal): Promise<HelixStream | null>;
  /** The streams of those that are live. */
  streams(userIds: readonly TwitchUserId[], signal?: AbortSignal): Promise<readonly HelixStream[]>;
};

/** Helix's largest page. */
const PAGE_SIZE = "100";

/** Of the streams of 100 users, which fit on one page; more are read if Twitch splits them. */
const MAX_STREAM_PAGES = 3;

export function createTwitchApi(
  context: TwitchContext,
  appToken: AppToken,
  limits?: FetchLimits,
  lane?: RequestLane,
): TwitchApi {
  const ask = createHelixRequest(context, appToken, limits, lane);
  return {
    async users(ids, signal) {
      if (ids.length === 0) return [];
      const query = ids.map((id) => ["id", id] as const);
      const { items: users } = await ask("/users", query, helixUserSchema, signal);
      return users.filter((user) => ids.includes(user.id)).map(describeUser);
    },
    async usersNamed(names, signal) {
      if (names.length === 0) return [];
      const logins = [...new Set(names.flatMap((name) => ("login" in name ? [name.login] : [])))];
      const ids = [...new Set(names.flatMap((name) => ("id" in name ? [name.id] : [])))];
      const query = [
        ...logins.map((login) => ["login", login] as const),
        ...ids.map((id) => ["id", id] as const),
      ];
      const { items: users } = await ask("/users", query, helixUserSchema, signal);
      return users
        .filter(({ id, login }) => logins.includes(login) || ids.includes(id))
        .map(describeUser);
    },
    async video(id, signal) {
      const { items } = await ask("/videos", [["id", id]], helixVideoSchema, signal);
      return items.find((video) => video.id === id) ?? null;
    },
    async videos(ids, signal) {
      if (ids.length === 0) return [];
      const query = ids.map((id) => ["id", id] as const);
      const { items } = await ask("/videos", query, helixListedVideoSchema, signal);
      return validVideos(items).filter((video) => ids.includes(video.id));
    },
    async videosOf(userId, after, signal) {
      const query = [
        ["user_id", userId],
        ["first", PAGE_SIZE],
        ...(after === null ? [] : [["after", after] as const]),
      ] as const;
      const { items, cursor } = await ask("/videos", query, helixListedVideoSchema, signal);
      return { items: validVideos(items).filter((video) => video.user_id === userId), cursor };
    },
    async channel(userId, signal) {
      const query = [["broadcaster_id", userId]] as const;
      const { items } = await ask("/channels", query, helixChannelSchema, signal);
      return items.find((channel) => channel.broadcaster_id === userId) ?? null;
    },
    async stream(userId, signal) {
      const { items } = await ask("/streams", [["user_id", userId]], helixStreamSchema, signal);
      return items.find((stream) => stream.user_id === userId) ?? null;
    },
    async streams(userIds, signal) {
      const found = new Map<TwitchUserId, HelixStream>();
      let after: string | null = null;
      for (let page = 0; page < MAX_STREAM_PAGES && userIds.length > 0; page += 1) {
        const query: readonly (readonly [string, string])[] = [
          ...userIds.map((id) => ["user_id", id] as const),
          ["first", PAGE_SIZE],
          ...(after === null ? [] : [["after", after] as const]),
        ];
        const { items, cursor } = await ask("/streams", query, helixStreamSchema, signal);
        for (const stream of items)
          if (userIds.includes(stream.user_id)) found.set(stream.user_id, stream);
        after = cursor;
        if (after === null) break;
      }
      return [...found.values()];
    },
  };
}

/** @throws {SourceError} if none is valid: then the shape has changed */
function validVideos(items: readonly (HelixVideo | null)[]): readonly HelixVideo[] {
  const valid = items.filter((video) => video !== null);
  if (items.length > 0 && valid.length === 0)
    throw new SourceError("try_later", "Twitch's API returned a list of invalid VODs.");
  return valid;
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
    broadcasterType: user.broadcaster_type,
  };
}
