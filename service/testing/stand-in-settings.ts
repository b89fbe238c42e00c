import type { TwitchAddresses } from "./host-under-test.ts";

/** The application registered with the stand-in. */
export const TEST_APPLICATION = { clientId: "testclientid", clientSecret: "testclientsecret" };

/** Settings that point a service at the stand-in. */
export function standInSettings(twitch: TwitchAddresses): Readonly<Record<string, string>> {
  return {
    TWITCH_CLIENT_ID: TEST_APPLICATION.clientId,
    TWITCH_CLIENT_SECRET: TEST_APPLICATION.clientSecret,
    TWITCH_ID_URL: twitch.idUrl,
    TWITCH_API_URL: twitch.apiUrl,
    TWITCH_GQL_URL: twitch.gqlUrl,
    TWITCH_USHER_URL: twitch.usherUrl,
    TWITCH_MEDIA_HOSTS: twitch.mediaHost,
    // So small that tests pass on a nearly full disk.
    STORAGE_RESERVE_GB: "0.001",
    SECRET_KEY: "a key for tests, not for keeping",
  };
}
