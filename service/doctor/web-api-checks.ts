import * as z from "zod/mini";
import {
  type GqlOperation,
  playbackAccessToken,
  seekPreviews,
  videoChapters,
  videoComments,
  videoMetadata,
} from "#service/twitch/gql-operation.ts";
import { GQL_CLIENT_IDS } from "#service/twitch/gql-constants.ts";
import { type GqlCombination, type GqlRefusal, sendGql } from "#service/twitch/send-gql.ts";
import type { TwitchCheckup } from "./twitch-checkup.ts";

const OPERATIONS: readonly GqlOperation[] = [
  playbackAccessToken,
  videoMetadata,
  seekPreviews,
  videoChapters,
  videoComments,
];

/** Any answer that Twitch does not refuse. */
const anyData = z.record(z.string(), z.unknown());

/** Each operation in both forms with each client id: the source only tries others if one fails. */
export async function checkWebApi(
  { checkup, context, sightings, signal }: TwitchCheckup,
  vodId: string,
): Promise<void> {
  const ways = GQL_CLIENT_IDS.flatMap((clientId) =>
    (["inline", "persisted"] as const).map((form): GqlCombination => ({ form, clientId })),
  );
  for (const operation of OPERATIONS)
    await checkup.check(`Web API: ${operation.name}`, async (say) => {
      const request = { operation, variables: variablesOf(operation, vodId), signal };
      const outcomes = await Promise.all(
        ways.map(async (way) => {
          const answer = await sendGql(context, way, request, anyData);
          const outcome = answer.ok ? "ok" : wordsOf(answer.refusal);
          sightings.answered(`${operation.name}, ${nameOf(way)},`, outcome);
          return { way, outcome };
        }),
      );
      const refused = outcomes.filter(({ outcome }) => outcome !== "ok");
      const list = refused.map(({ way, outcome }) => `${nameOf(way)}: ${outcome}`).join("; ");
      if (refused.length === outcomes.length)
        say("problem", `${list}. A newer version may know Twitch's new ones.`);
      else if (refused.length > 0) say("advice", `The service uses another way. ${list}.`);
    });
}

function variablesOf(operation: GqlOperation, vodId: string) {
  if (operation === playbackAccessToken) return { vodID: vodId };
  return operation === videoComments
    ? { videoID: vodId, contentOffsetSeconds: 0 }
    : { videoID: vodId };
}

function nameOf({ form, clientId }: GqlCombination): string {
  return `${form} with ${clientId.slice(0, 6)}…`;
}

function wordsOf({ kind, said }: GqlRefusal): string {
  return `${said.code} ${said.text}`.trim() || kind;
}
