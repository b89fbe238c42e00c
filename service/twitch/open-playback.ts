import type { TwitchVodId } from "#contract/ids.ts";
import type { GqlClient } from "./gql-client.ts";
import { goneAtSource, readVodState, requestPlaybackToken } from "./playback-token.ts";
import { SourceError } from "#service/source/source-error.ts";
import type { Playback } from "#service/source/source.ts";
import type { TwitchContext } from "./twitch-context.ts";
import { quoteTwitch, type TwitchWords } from "./twitch-words.ts";
import { askUsher, type UsherAnswer } from "./usher.ts";

/**
 * Gets a VOD's renditions: requests a token, then asks usher. A refused token is replaced once. If
 * usher v2 still fails, v1 is tried, unless Twitch said that this viewer may not see the VOD.
 * @throws {SourceError}
 */
export async function openPlayback(
  context: TwitchContext,
  gql: GqlClient,
  vodId: TwitchVodId,
  signal?: AbortSignal,
): Promise<Playback> {
  let token = await requestPlaybackToken(gql, vodId, signal);
  let answer = await askUsher(context, "v2", vodId, token, signal);
  if (answer.kind === "token_refused") {
    token = await requestPlaybackToken(gql, vodId, signal);
    answer = await askUsher(context, "v2", vodId, token, signal);
  }
  if (answer.kind !== "master" && answer.kind !== "restricted") {
    const older = await askUsher(context, "v1", vodId, token, signal);
    answer = moreTelling(answer, older);
  }
  switch (answer.kind) {
    case "master":
      return answer.master;
    case "restricted":
    case "failed":
      throw answer.error;
    case "token_refused":
      throw new SourceError(
        "try_later",
        quoteTwitch("Twitch's playlist server refuses a new playback token.", answer.said),
      );
    default:
      throw await explainUnknownVod(gql, vodId, answer.said, signal);
  }
}

/** Usher gives the same answer for a deleted VOD and for one too new to have a playlist. */
async function explainUnknownVod(
  gql: GqlClient,
  vodId: TwitchVodId,
  said: TwitchWords,
  signal: AbortSignal | undefined,
): Promise<SourceError> {
  const state = await readVodState(gql, vodId, signal);
  return state === "missing"
    ? goneAtSource()
    : new SourceError(
        "try_later",
        quoteTwitch("Twitch lists the VOD but has no playlist of it yet.", said),
      );
}

/** If both fail, an error of v2 counts, because it has the delay to keep. */
function moreTelling(newer: UsherAnswer, older: UsherAnswer): UsherAnswer {
  if (older.kind === "master" || older.kind === "restricted") return older;
  return newer.kind === "failed" ? newer : older;
}
