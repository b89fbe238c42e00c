import { ApiError } from "#service/api-error.ts";
import type { ServiceContext } from "#service/context.ts";
import type { TwitchCredentials } from "#service/ports/setup-host.ts";
import { API_LIMITS } from "#service/source/upstream-request.ts";
import { ApplicationRefused, createAppToken } from "#service/twitch/app-token.ts";

/** All tries together fit into the 10 s that the console waits. */
const TRIES = 3;
const TIMEOUT_MS = 2_500;
const PAUSE_MS = 500;

/**
 * Asks Twitch for a token of this application, which needs no user.
 * @throws {ApiError} in Twitch's words: invalid_request when it refuses, upstream_error when the last
 *   of three tries brought no answer
 */
export async function checkApplication(
  { platform, settings }: ServiceContext,
  twitchIdUrl: string,
  { clientId, clientSecret }: TwitchCredentials,
): Promise<void> {
  const appToken = createAppToken(
    {
      platform,
      settings: {
        ...settings,
        TWITCH_ID_URL: twitchIdUrl,
        TWITCH_CLIENT_ID: clientId,
        TWITCH_CLIENT_SECRET: clientSecret,
      },
    },
    { ...API_LIMITS, timeoutMs: TIMEOUT_MS },
    "this client ID and secret",
  );
  for (let attempt = 1; ; attempt += 1) {
    try {
      await appToken.get();
      return;
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (error instanceof ApplicationRefused)
        throw new ApiError("invalid_request", error.message, { cause: error });
      if (attempt === TRIES)
        throw new ApiError(
          "upstream_error",
          `${error.message} Vodkeep tried ${TRIES} times, and stored nothing. Try again.`,
          { cause: error },
        );
    }
    await platform.clock.sleep(PAUSE_MS);
  }
}
