import * as calls from "#contract/setup.ts";
import { ApiError } from "#service/api-error.ts";
import type { BeginSignIn } from "#service/auth/auth-routes.ts";
import { withdrawAllRights } from "#service/auth/signed-in-user.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import type { ServiceContext } from "#service/context.ts";
import { route, type Route } from "#service/http/route.ts";
import { redirectUriOf } from "#service/settings.ts";
import { checkApplication } from "./check-application.ts";
import type { FirstSetup } from "./first-setup.ts";
import { cancelTrialArchives, hasUsers, stopRules } from "./trial-data.ts";

export function setupRoutes(
  context: ServiceContext,
  setup: FirstSetup,
  beginSignIn: BeginSignIn,
): Route[] {
  const { platform, settings } = context;

  return [
    route(calls.readSetup, async ({ body, context: request }) => {
      const { credentials } = await setup.admit(request, body.code);
      const isTrial = credentials === "stand-in";
      return {
        credentials,
        redirectUri: redirectUriOf(settings),
        hasTrialData: isTrial && (await hasUsers(platform.database)),
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
      const leavesStandIn = host.credentials === "stand-in";
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
      const { credentials } = await setup.admit(request, body.code);
      if (credentials === "stand-in")
        throw new ApiError("conflict", "First store the credentials of a Twitch application.");
      const { authUrl, state } = await beginSignIn(request);
      setup.bind(state);
      return { authUrl };
    }),
  ];
}
