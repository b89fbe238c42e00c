import type { AppToken } from "#service/twitch/app-token.ts";
import type { GqlClient } from "#service/twitch/gql-client.ts";
import type { Settings } from "#service/settings.ts";
import type { TwitchContext } from "#service/twitch/twitch-context.ts";
import type { Checkup } from "./checkup.ts";
import type { RecordedAnswer } from "./recorded-fetch.ts";

/** What the checks of Twitch share. */
export type TwitchCheckup = {
  readonly checkup: Checkup;
  readonly context: TwitchContext & { readonly settings: Settings };
  readonly appToken: AppToken;
  readonly gql: GqlClient;
  /** Aborts when the time for all checks is over. */
  readonly signal: AbortSignal;
  readonly recorded: readonly RecordedAnswer[];
};
