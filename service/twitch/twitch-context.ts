import type { Platform } from "#service/platform.ts";
import type { Settings } from "#service/settings.ts";

/** The parts of `ServiceContext` that the Twitch clients need. */
export type TwitchContext = {
  readonly platform: Pick<Platform, "fetch" | "receive" | "clock" | "random">;
  readonly settings: Pick<
    Settings,
    | "TWITCH_CLIENT_ID"
    | "TWITCH_CLIENT_SECRET"
    | "TWITCH_ID_URL"
    | "TWITCH_API_URL"
    | "TWITCH_GQL_URL"
    | "TWITCH_USHER_URL"
    | "TWITCH_MEDIA_HOSTS"
    | "CONSOLE_URL"
    | "REAUTHENTICATE_MINUTES"
  >;
};
