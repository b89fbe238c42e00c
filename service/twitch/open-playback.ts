import type { TwitchVodId } from "#contract/ids.ts";
import type { MasterPlaylist } from "#service/hls/master-playlist.ts";
import { chooseSource } from "#service/hls/source-choice.ts";
import type { GqlClient } from "./gql-client.ts";
import { goneAtSource, readVodState, requestPlaybackToken } from "./playback-token.ts";
import { SourceError } from "./source-error.ts";
import type { Playback } from "./twitch-client.ts";
import type { TwitchSurroundings } from "./twitch-surroundings.ts";
import { askUsher, type UsherAnswer } from "./usher.ts";

/**
 * From a VOD's id to its renditions: a token, then usher. A refused token is replaced once;
 * whatever else is wrong with the newer generation of usher, the older one is asked too, unless the
 * answer was Twitch's word that this viewer may not see the VOD.
 * @throws {SourceError}
 */
export async function openPlayback(
  surroundings: TwitchSurroundings,
  gql: GqlClient,
  vodId: TwitchVodId,
  signal?: AbortSignal,
): Promise<Playback> {
  let token = await requestPlaybackToken(gql, vodId, signal);
  let answer = await askUsher(surroundings, "v2", vodId, token, signal);
  if (answer.kind === "token_refused") {
    token = await requestPlaybackToken(gql, vodId, signal);
    answer = await askUsher(surroundings, "v2", vodId, token, signal);
  }
  if (answer.kind !== "master" && answer.kind !== "restricted") {
    const older = await askUsher(surroundings, "v1", vodId, token, signal);
    answer = moreTelling(answer, older);
  }
  switch (answer.kind) {
    case "master":
      return describePlayback(answer.master);
    case "restricted":
    case "trouble":
      throw answer.error;
    case "token_refused":
      throw new SourceError("try_later", "Twitch refuses the playback token it has just given.");
    default:
      throw await explainUnknownVod(gql, vodId, signal);
  }
}

/** Usher says the same of a VOD that is gone and of one so new that it has no playlist. */
async function explainUnknownVod(
  gql: GqlClient,
  vodId: TwitchVodId,
  signal: AbortSignal | undefined,
): Promise<SourceError> {
  const state = await readVodState(gql, vodId, signal);
  return state === "missing"
    ? goneAtSource()
    : new SourceError("try_later", "Twitch lists the VOD but has no playlist of it yet.");
}

/** Of two failures, trouble with the newer generation counts: it carries the wait to keep. */
function moreTelling(newer: UsherAnswer, older: UsherAnswer): UsherAnswer {
  if (older.kind === "master" || older.kind === "restricted") return older;
  return newer.kind === "trouble" ? newer : older;
}

function describePlayback(master: MasterPlaylist): Playback {
  return {
    source: chooseSource(master),
    renditions: master.variants,
    withheld: master.withheld,
  };
}
