import { twitchReturnsTo } from "#contract/device-sign-in.ts";
import * as calls from "#contract/setup.ts";
import { ApiError } from "#service/api-error.ts";
import type { SignInStarts } from "#service/auth/auth-routes.ts";
import { withdrawAllRights } from "#service/auth/signed-in-user.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import type { ServiceContext } from "#service/context.ts";
import { route, type RequestContext, type Route } from "#service/http/route.ts";
import type { TwitchCredentials } from "#service/ports/setup-host.ts";
import { redirectAdvice, redirectUriOf } from "#service/settings.ts";
import { API_LIMITS } from "#service/source/upstream-request.ts";
import { ApplicationRefused, createAppToken } from "#service/twitch/app-token.ts";
import type { FirstSetup } from "./first-setup.ts";
import { cancelTrialArchives, hasUsers, stopRules } from "./trial-data.ts";

export function setupRoutes(
  context: ServiceContext,
  setup: FirstSetup,
  starts: SignInStarts,
): Route[] {
  const { platform, settings } = context;

  async function requireApplication(request: RequestContext, code: string): Promise<void> {
    const { credentials } = await setup.admit(request, code);
    if (credentials === "none")
      throw new ApiError("conflict", "First store the credentials of a Twitch application.");
  }

  return [
    route(calls.readSetup, async ({ body, context: request }) => {
      const { credentials } = await setup.admit(request, body.code);
      return {
        credentials,
        redirectUri: redirectUriOf(settings),
        ...(twitchReturnsTo(redirectUriOf(settings)) === "no" && {
          redirectAdvice: redirectAdvice(settings),
        }),
        hasTrialData: credentials === "none" && (await hasUsers(platform.database)),
      };
    }),

    route(calls.storeTwitchApplication, async ({ body, context: request }) => {
      const host = await setup.admit(request, body.code);
      if (host.credentials === "environment")
        throw new ApiError(
          "conflict",
          "TWITCH_CLIENT_ID is set in the environment, which wins. Change it there.",
        );
      const { clientId, clientSecret } = body;
      await checkApplication(context, host.twitchIdUrl, { clientId, clientSecret });
      const nowMs = platform.clock.now();
      const leavesStandIn = host.credentials === "none";
      // First: an account of the real Twitch may have the id of one of the stand-in's.
      await platform.database.batch([
        ...(leavesStandIn ? [...withdrawAllRights(), ...stopRules(nowMs)] : []),
        auditEntry({
          actorId: request.principal?.userId ?? null,
          requestId: request.requestId,
          address: request.clientAddress,
          atMs: nowMs,
          action: "setup.twitch",
          after: {
            clientId,
            ...(leavesStandIn && {
              allPermissions: "withdrawn",
              consents: "ended",
              channels: "paused",
            }),
          },
        }),
      ]);
      if (leavesStandIn) await cancelTrialArchives(context, request.requestId);
      try {
        await host.storeCredentials({ clientId, clientSecret });
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        context.log.error("The credentials of Twitch could not be stored", { error });
        throw new ApiError(
          "unavailable",
          `The credentials could not be stored: ${error.message}.`,
          {
            cause: error,
          },
        );
      }
      return {};
    }),

    route(calls.beginFirstSignIn, async ({ body, context: request }) => {
      await requireApplication(request, body.code);
      const { authUrl, state } = await starts.byRedirect(request);
      setup.bind(state);
      return { authUrl };
    }),

    route(calls.beginFirstDeviceSignIn, async ({ body, context: request }) => {
      await requireApplication(request, body.code);
      const begun = await starts.byDevice(request);
      setup.bind(begun.state);
      return begun;
    }),
  ];
}

/** All tries together fit into the 10 s that the console waits. */
const TRIES = 3;
const TIMEOUT_MS = 2_500;
const PAUSE_MS = 500;

/**
 * Asks Twitch for a token of this application, which needs no user.
 * @throws {ApiError} in Twitch's words: invalid_request when it refuses, upstream_error when the last
 *   of three tries brought no answer
 */
async function checkApplication(
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
