import type { Settings } from "#service/settings.ts";
import { type AppToken, createAppToken } from "#service/twitch/app-token.ts";
import { createGqlClient, type GqlClient } from "#service/twitch/gql-client.ts";
import type { TwitchContext } from "#service/twitch/twitch-context.ts";
import { type Checkup, startCheckup } from "./checkup.ts";
import { createRecordedFetch, type RecordedAnswer } from "./recorded-fetch.ts";

export type DoctorContext = Pick<TwitchContext, "platform"> & { readonly settings: Settings };

/** What the checks of Twitch share. */
export type TwitchCheckup = {
  readonly checkup: Checkup;
  readonly context: DoctorContext;
  readonly appToken: AppToken;
  readonly gql: GqlClient;
  /** Aborts when the time for all checks is over. */
  readonly signal: AbortSignal;
  readonly recorded: readonly RecordedAnswer[];
};

/** @param limitMs all checks together end after this */
export function startTwitchCheckup({ platform, settings }: DoctorContext, limitMs: number) {
  const { recorded, fetch } = createRecordedFetch(platform.fetch);
  // Media comes through the same fetch: without `receive`.
  const { clock, random } = platform;
  const context = { platform: { fetch, clock, random }, settings };
  return {
    checkup: startCheckup(),
    context,
    appToken: createAppToken(context),
    gql: createGqlClient(context),
    signal: AbortSignal.timeout(limitMs),
    recorded,
  } satisfies TwitchCheckup;
}
