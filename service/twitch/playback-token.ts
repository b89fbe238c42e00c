import * as z from "zod/mini";
import type { TwitchVodId } from "#contract/ids.ts";
import type { GqlClient } from "./gql-client.ts";
import { playbackAccessToken, videoMetadata } from "./gql-operation.ts";
import { parseJson } from "./parse-json.ts";
import { SourceError } from "./source-error.ts";

/** Opens usher's list of renditions, nothing else; passed on exactly as given. */
export type PlaybackToken = { readonly value: string; readonly signature: string };

/** Null is an answer; a missing field is not. */
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
 * @throws {SourceError} `gone_at_source` when Twitch does not know the VOD, `try_later` when it
 *   knows it but gives no token yet, as happens in a VOD's first minutes; `needs_entitlement` for a
 *   forbidding token
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

/** `unstated`: Twitch has the VOD; the persisted form of the question does not say more. */
export type VodState = "recording" | "recorded" | "unstated" | "missing";

/** What the web API says of a VOD; Helix has no such field. @throws {SourceError} */
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
    throw new SourceError("try_later", "Twitch answered about another VOD than the one asked for.");
  if (video.status === "RECORDING") return "recording";
  return video.status === "RECORDED" ? "recorded" : "unstated";
}

export function goneAtSource(): SourceError {
  return new SourceError("gone_at_source", "Twitch no longer has this VOD.");
}

const valueSchema = z.object({
  authorization: z.optional(z.object({ forbidden: z.optional(z.boolean()) })),
  vod_id: z.optional(z.union([z.number(), z.string()])),
});

/** The value is Twitch's to define; only what it plainly says about us is heeded. */
function requireUsable(value: string, vodId: TwitchVodId): void {
  const stated = parseJson(valueSchema, value);
  if (stated?.authorization?.forbidden === true)
    throw new SourceError(
      "needs_entitlement",
      "Twitch forbids anonymous viewers to play this VOD.",
    );
  if (stated?.vod_id !== undefined && String(stated.vod_id) !== vodId)
    throw new SourceError(
      "try_later",
      "Twitch gave a token for another VOD than the one asked for.",
    );
}
