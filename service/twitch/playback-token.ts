import * as z from "zod/mini";
import type { TwitchVodId } from "#contract/ids.ts";
import type { GqlClient } from "./gql-client.ts";
import { playbackAccessToken, videoMetadata } from "./gql-operation.ts";
import { parseJson } from "#service/parse-json.ts";
import { SourceError } from "#service/source/source-error.ts";
import { quoteTwitch } from "./twitch-words.ts";

/** Grants access to usher's list of renditions only; sent to usher unchanged. */
export type PlaybackToken = { readonly value: string; readonly signature: string };

/** Null means that there is no token; a missing field is an unreadable answer. */
const tokenSchema = z.object({
  videoPlaybackAccessToken: z.nullable(
    z.object({
      value: z.string().check(z.minLength(1), z.maxLength(8_192)),
      signature: z.string().check(z.regex(/^[A-Za-z0-9_-]{1,256}$/)),
    }),
  ),
});

const metadataSchema = z.object({
  video: z.nullable(z.object({ id: z.string(), status: z.nullish(z.string()) })),
});

/**
 * @throws {SourceError} `gone_at_source` when the web API does not know the VOD; `try_later` when it
 *   knows the VOD but gives no token yet, as in a VOD's first minutes, or when the token forbids
 *   playback, which Twitch may take back
 */
export async function requestPlaybackToken(
  gql: GqlClient,
  vodId: TwitchVodId,
  signal?: AbortSignal,
): Promise<PlaybackToken> {
  const data = await gql.ask(
    { operation: playbackAccessToken, variables: { vodID: vodId }, signal },
    tokenSchema,
  );
  const token = data.videoPlaybackAccessToken;
  if (token !== null) {
    requireUsable(token.value, vodId);
    return token;
  }
  const state = await readVodState(gql, vodId, signal);
  if (state === "missing") throw goneAtSource();
  throw new SourceError("try_later", "Twitch lists the VOD but does not let it be played yet.");
}

/** `unstated`: Twitch has the VOD, but the answer has no status (as in the persisted form). */
export type VodState = "recording" | "recorded" | "unstated" | "missing";

/** A VOD's status in the web API; Helix has no such field. @throws {SourceError} */
export async function readVodState(
  gql: GqlClient,
  vodId: TwitchVodId,
  signal?: AbortSignal,
): Promise<VodState> {
  const { video } = await gql.ask(
    { operation: videoMetadata, variables: { videoID: vodId }, signal },
    metadataSchema,
  );
  if (video === null) return "missing";
  if (video.id !== vodId)
    throw new SourceError("try_later", "Twitch returned data about a different VOD.");
  if (video.status === "RECORDING") return "recording";
  return video.status === "RECORDED" ? "recorded" : "unstated";
}

export function goneAtSource(): SourceError {
  return new SourceError("gone_at_source", "Twitch no longer has this VOD.");
}

const valueSchema = z.object({
  authorization: z.optional(
    z.object({ forbidden: z.optional(z.boolean()), reason: z.optional(z.string()) }),
  ),
  vod_id: z.optional(z.union([z.number(), z.string()])),
});

/** Checks the token's value for a refusal or another VOD; an unreadable value is accepted. */
function requireUsable(value: string, vodId: TwitchVodId): void {
  const stated = parseJson(valueSchema, value);
  if (stated?.authorization?.forbidden === true)
    throw new SourceError(
      "try_later",
      quoteTwitch("Twitch forbids anonymous viewers to play this VOD.", {
        code: stated.authorization.reason ?? "",
        text: "",
      }),
    );
  if (stated?.vod_id !== undefined && String(stated.vod_id) !== vodId)
    throw new SourceError("try_later", "Twitch returned a token for a different VOD.");
}
