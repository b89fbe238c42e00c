import type { TwitchVodId } from "#contract/ids.ts";
import { type Absence, judgeAbsence } from "#service/source/existence.ts";
import { SourceError } from "#service/source/source-error.ts";
import type { GqlClient } from "#service/twitch/gql-client.ts";
import { readVodState } from "#service/twitch/playback-token.ts";
import type { Polling } from "./polling.ts";

/**
 * Whether a VOD still exists that Twitch's API did not find by its id. Of a followed channel,
 * three lists in a row lacked it before (listed-vods.ts). It is gone if the web API does not know it
 * either, twice, a minute apart (source/existence.ts).
 */
export type Presence =
  | { readonly kind: "present" }
  | { readonly kind: "unanswered" }
  | { readonly kind: "gone"; readonly sinceMs: number }
  | Extract<Absence, { readonly kind: "doubted" }>;

export type VodPolling = Polling & { readonly gql: GqlClient };

/** @param absentSinceMs when both interfaces first agreed on the absence; null if never */
export async function askPresence(
  { gql, context, signal }: VodPolling,
  vodId: TwitchVodId,
  absentSinceMs: number | null,
): Promise<Presence> {
  try {
    if ((await readVodState(gql, vodId, signal)) !== "missing") return { kind: "present" };
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof SourceError)) throw error;
    return { kind: "unanswered" };
  }
  const nowMs = context.platform.clock.now();
  const absence = judgeAbsence(absentSinceMs, nowMs);
  return absence.kind === "doubted" ? absence : { kind: "gone", sinceMs: absentSinceMs ?? nowMs };
}
