import { auditRoutes } from "./audit/audit-routes.ts";
import { createRefusalRecord } from "./audit/refusal-record.ts";
import { authRoutes, createSignInStarts } from "./auth/auth-routes.ts";
import { backupRoutes } from "./backups/backup-routes.ts";
import { channelRoutes } from "./channels/channel-routes.ts";
import { consentRoutes } from "./consents/consent-routes.ts";
import type { ServiceContext } from "./context.ts";
import { costRoutes } from "./costs/cost-routes.ts";
import { dashboardRoutes } from "./dashboard/dashboard-routes.ts";
import { doctorRoutes } from "./doctor/doctor.ts";
import type { Features } from "./features.ts";
import { fileRoutes } from "./files/file-routes.ts";
import { verificationRoutes } from "./proof/verification-routes.ts";
import { createMediaServer, MEDIA_PATH } from "./files/media-server.ts";
import { createApi, type Api } from "./http/api.ts";
import { descriptionRoute, healthRoute, type OtherRoute } from "./http/other-route.ts";
import { METRICS, type RequestLimits } from "./http/request-limits.ts";
import type { Route } from "./http/route.ts";
import { libraryRoutes } from "./library/library-routes.ts";
import { liveRoutes } from "./live/live-routes.ts";
import { tusRoutes } from "./manual-uploads/tus/routes.ts";
import { notificationRoutes } from "./notifications/notification-routes.ts";
import { pictureRoutes } from "./pictures/picture-routes.ts";
import { setupRoutes } from "./setup/setup-routes.ts";
import { createPrometheus, PROMETHEUS_PATH } from "#service/metrics/prometheus.ts";
import { createReadiness, READINESS_PATH } from "#service/health/readiness.ts";
import { systemRoutes } from "./system/system-routes.ts";
import { trashRoutes } from "./trash/trash-routes.ts";
import { tokenRoutes } from "./tokens/token-routes.ts";
import { createSourceLookup } from "./uploads/source-lookup.ts";
import { uploadRoutes } from "./uploads/upload-routes.ts";
import { userRoutes } from "./users/user-routes.ts";
import { webhookRoutes } from "./webhooks/webhook-routes.ts";

export type RouteOptions = { readonly limits: RequestLimits; readonly checksAnswers: boolean };

/**
 * Every address of the service.
 * @throws when a call of the contract has no handler
 */
export function buildRoutes(
  context: ServiceContext,
  features: Features,
  { limits, checksAnswers }: RouteOptions,
): Api {
  const { settings } = context;
  return createApi(context, {
    routes: callRoutes(context, features),
    protocols: tusRoutes(features.manualUploads),
    otherRoutes: otherRoutes(context, features),
    authenticator: features.auth.authenticator,
    limits,
    recordRefusal: createRefusalRecord(context, features.refusals),
    allowedOrigins: new Set(
      [settings.PUBLIC_URL, ...settings.CONSOLE_URL].map((url) => new URL(url).origin),
    ),
    checksAnswers,
  });
}

function callRoutes(context: ServiceContext, features: Features): Route[] {
  const { auth, grants, recordGrant } = features;
  const signInStarts = createSignInStarts(context, auth);
  const lookup = createSourceLookup(features.sources);
  const routes = [
    ...authRoutes(context, auth, signInStarts),
    ...setupRoutes(context, features.setup, signInStarts),
    ...tokenRoutes(context),
    ...uploadRoutes(context, lookup),
    ...consentRoutes(context, lookup, auth),
    ...channelRoutes(context, features.twitchApi),
    ...pictureRoutes(context),
    ...liveRoutes({ uploads: features.uploadStream, metrics: features.metricsStream }),
    ...fileRoutes(context, grants, recordGrant),
    ...verificationRoutes(context),
    ...trashRoutes(context),
    ...userRoutes(context, auth.ending),
    ...systemRoutes(context, features.archiver),
    ...backupRoutes(context),
    ...libraryRoutes(context),
    ...doctorRoutes(context, features.doctor),
    ...auditRoutes(context, features.auditChain),
    ...costRoutes(context),
    ...notificationRoutes(context, features.messaging),
    ...webhookRoutes(context, features.webhooks, features.cipher),
  ];
  return [...routes, ...dashboardRoutes(context, routes)];
}

function otherRoutes(context: ServiceContext, features: Features): OtherRoute[] {
  const { grants, recordGrant, storeHold } = features;
  const { METRICS_TOKEN, PUBLIC_URL } = context.settings;
  const routes: OtherRoute[] = [
    healthRoute,
    { path: READINESS_PATH, answer: createReadiness(context, () => storeHold.isUnopened) },
    { path: MEDIA_PATH, answer: createMediaServer(context, grants, recordGrant) },
    descriptionRoute(PUBLIC_URL),
  ];
  if (METRICS_TOKEN !== undefined)
    routes.push({
      path: PROMETHEUS_PATH,
      limit: METRICS,
      answer: createPrometheus(context, METRICS_TOKEN, () => ({
        openStreams: features.streams.count(),
        isStoreHeld: storeHold.reason !== null,
      })),
    });
  return routes;
}
