import type { Settings } from "#service/settings.ts";
import type { Source } from "#service/source/source.ts";
import { type AppToken, createAppToken } from "#service/twitch/app-token.ts";
import { createTwitchApi, type TwitchApi } from "#service/twitch/twitch-api.ts";
import type { TwitchContext } from "#service/twitch/twitch-context.ts";
import { createTwitchSource } from "#service/twitch/twitch-source.ts";
import { type Checkup, startCheckup } from "./checkup.ts";
import { type Sightings, watchAnswers } from "./sightings.ts";

export type DoctorContext = Pick<TwitchContext, "platform"> & { readonly settings: Settings };

/** What the checks of Twitch share. All requests go through `sightings`. */
export type TwitchCheckup = {
  readonly checkup: Checkup;
  readonly sightings: Sightings;
  readonly context: DoctorContext;
  readonly appToken: AppToken;
  readonly api: TwitchApi;
  readonly source: Required<Source>;
  readonly signal: AbortSignal;
};

/** All checks together end when `signal` aborts. */
export function startTwitchCheckup(
  { platform: { fetch, clock, random }, settings }: DoctorContext,
  signal: AbortSignal,
): TwitchCheckup {
  const sightings = watchAnswers(fetch);
  // Without `receive`, media comes through the same fetch.
  const context = { platform: { fetch: sightings.fetch, clock, random }, settings };
  const appToken = createAppToken(context);
  const api = createTwitchApi(context, appToken);
  return {
    checkup: startCheckup(),
    sightings,
    context,
    appToken,
    api,
    source: createTwitchSource(context, api),
    signal,
  };
}
