import { twitchReturnsTo } from "#contract/device-sign-in.ts";
import * as calls from "#contract/setup.ts";
import { ApiError } from "#service/api-error.ts";
import type { SignInStarts } from "#service/auth/auth-routes.ts";
import { withdrawAllRights } from "#service/auth/signed-in-user.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import type { ServiceContext } from "#service/context.ts";
import { route, type RequestContext, type Route } from "#service/http/route.ts";
import { redirectAdvice, redirectUriOf } from "#service/settings.ts";
import { checkApplication } from "./check-application.ts";
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
