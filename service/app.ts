import { createArchiver } from "./archiver/archiver.ts";
import { createAuditChain } from "./audit/audit-chain.ts";
import { auditRoutes } from "./audit/audit-routes.ts";
import { scheduleAuditTasks } from "./audit/audit-tasks.ts";
import { createRefusalCounts } from "./audit/refusal-counts.ts";
import { createRefusalRecord } from "./audit/refusal-record.ts";
import { createAuthenticator } from "./auth/authenticator.ts";
import { authRoutes } from "./auth/auth-routes.ts";
import { createLoginStates } from "./auth/login-state.ts";
import { createCookieJar } from "./auth/session-cookie.ts";
import { createSessionEnding } from "./auth/session-ending.ts";
import { scheduleSessionTasks } from "./auth/session-tasks.ts";
import { createSignIn } from "./auth/sign-in.ts";
import { keepBootstrapAdministrators } from "./auth/signed-in-user.ts";
import type { ServiceContext } from "./context.ts";
import { costRoutes } from "./costs/cost-routes.ts";
import { scheduleAlertCheck } from "./costs/alert-check.ts";
import { meterPlatform } from "./costs/meter-platform.ts";
import { countRequest, scheduleMetering } from "./costs/metering-tasks.ts";
import { createDirectSource } from "./direct-url/direct-source.ts";
import { dashboardRoutes } from "./dashboard/dashboard-routes.ts";
import { fileRoutes } from "./files/file-routes.ts";
import { createGrantRecord } from "./files/grant-record.ts";
import { createMediaGrants } from "./files/media-grant.ts";
import { createMediaServer, MEDIA_PATH } from "./files/media-server.ts";
import { scheduleStorageTasks } from "./files/storage-tasks.ts";
import { createApi } from "./http/api.ts";
import { descriptionRoute, healthRoute } from "./http/other-route.ts";
import { createRequestLimits, METRICS, type RequestLimits } from "./http/request-limits.ts";
import type { Route } from "./http/route.ts";
import { liveRoutes } from "./live/live-routes.ts";
import { createMetricsStream } from "./live/metrics-stream.ts";
import { createStreamRegistry } from "./live/stream-registry.ts";
import { createUploadStream } from "./live/upload-stream.ts";
import { createMessaging } from "./notifications/messaging.ts";
import { notificationRoutes } from "./notifications/notification-routes.ts";
import { scheduleNotifications } from "./notifications/notification-tasks.ts";
import { pictureRoutes } from "./pictures/picture-routes.ts";
import type { WakeUp } from "./ports/resume-queue.ts";
import type { Platform } from "./platform.ts";
import { createKeyring } from "./secrets/keyring.ts";
import { createSecretCipher } from "./secrets/secret-cipher.ts";
import { createSigner } from "./secrets/signer.ts";
import { settingsWarnings, type Settings } from "./settings.ts";
import { guardObjects } from "./space/guard-objects.ts";
import { carryOutRemovals } from "./storage/store-removals.ts";
import { createStoreHold } from "./store/store-hold.ts";
import { createCopiedBytes } from "./system/copied-bytes.ts";
import { failOpenCache } from "./system/fail-open-cache.ts";
import { createLogger } from "./logger.ts";
import { readMetrics } from "./system/metrics.ts";
import { observeStore } from "./system/observe-store.ts";
import { createPrometheus, PROMETHEUS_PATH } from "./system/prometheus.ts";
import { createReadiness, READINESS_PATH } from "./system/readiness.ts";
import { systemRoutes } from "./system/system-routes.ts";
import { scheduleSystemTasks } from "./system/system-tasks.ts";
import { createWorkerProbe } from "./system/worker-probe.ts";
import { createAppToken } from "./twitch/app-token.ts";
import { createTwitchApi } from "./twitch/twitch-api.ts";
import { createTwitchOauth } from "./twitch/twitch-oauth.ts";
import { createTwitchSource } from "./twitch/twitch-source.ts";
import { API_LIMITS } from "./source/upstream-request.ts";
import { createManualUploads } from "#service/manual-uploads/manual-uploads.ts";
import { scheduleOwnerIndex } from "./uploads/renamed-owners.ts";
import { createSourceLookup } from "./uploads/source-lookup.ts";
import { tusRoutes } from "#service/manual-uploads/tus-routes.ts";
import { uploadRoutes } from "./uploads/upload-routes.ts";
import { userRoutes } from "./users/user-routes.ts";
import { viewRoutes } from "./views/view-routes.ts";
import { scheduleBanCancellations } from "./users/ban-cancellations.ts";

export type Service = {
  fetch(request: Request, info: { readonly clientAddress: string }): Promise<Response>;
  /** Handles one message of the VOD Resume Queue. */
  consume(message: WakeUp): Promise<void>;
  /**
   * Checks that the object store works and belongs to this deployment. Retries while it does not
   * answer; until then /readyz says so and no archive starts. Call before `start`.
   * @throws {StoreError} that an operator has to fix
   */
  openStore(): Promise<void>;
  /** Starts the background work: all of it, or only the given duties. */
  start(duties?: Duties): void;
  /**
   * Writes the usage, refusals and bytes counted so far, for hosts whose processes may end after any
   * request.
   */
  settle(): Promise<void>;
  stop(): Promise<void>;
};

/** Background work. A single-process host does all of it. */
export type Duties = {
  /** Heartbeats of open streams, and closing them when a session ends or a right is lost. */
  readonly streams: boolean;
  /** Sweeps, probes, notifications, retention: only one process of the deployment may run them. */
  readonly tasks: boolean;
};

/** A sign-in makes two requests to Twitch; both must fit into the 10 s that the console waits. */
const SIGN_IN_LIMITS = { ...API_LIMITS, timeoutMs: 4_000 };

/**
 * The whole service on one platform. The database schema must be up to date.
 *
 * `checksAnswers` validates every answer against the contract, for tests and development. `limits`
 * can be passed in to share them between several services or with the host's own answers.
 * @throws {SettingsError} when a setting is missing; an Error when a call has no handler
 */
export async function createService(
  platform: Platform,
  settings: Settings,
  options: { readonly checksAnswers?: boolean; readonly limits?: RequestLimits } = {},
): Promise<Service> {
  const keyring = createKeyring(settings);
  const metered = meterPlatform(platform);
  const log = createLogger(platform.clock, platform.logs);
  const { telemetry } = platform;
  const limits = options.limits ?? createRequestLimits(platform.clock, settings.RATE_LIMIT_FACTOR);
  const copiedBytes = createCopiedBytes(metered.platform.database, platform.clock);
  const objects = copiedBytes.observe(metered.platform.objects);
  const context: ServiceContext = {
    platform: {
      ...metered.platform,
      objects: guardObjects(telemetry === null ? objects : observeStore(objects, telemetry), {
        platform,
        settings,
      }),
      cache: failOpenCache(metered.platform.cache, log),
    },
    settings,
    log,
  };
  await context.platform.database.batch(keepBootstrapAdministrators(settings.ADMIN_TWITCH_IDS));

  const isHttps = settings.PUBLIC_URL.startsWith("https:");
  const cookies = createCookieJar(isHttps);
  const authenticator = createAuthenticator(context, cookies);
  const twitch = createTwitchOauth(context.platform, settings, SIGN_IN_LIMITS);
  const cipher = await createSecretCipher(keyring, platform.random);
  const loginStates = await createLoginStates(keyring, platform.random);
  const ending = createSessionEnding(context, twitch, cipher);
  const signIn = createSignIn(context, twitch, cipher, loginStates);

  const api = createTwitchApi(context, createAppToken(context));
  const sources = {
    twitch: createTwitchSource(context, api),
    url: createDirectSource(context),
  };
  const storeHold = createStoreHold(context);
  const archiver = createArchiver(context, sources, storeHold);
  const manualUploads = createManualUploads(context);
  const registry = createStreamRegistry(context);
  const uploadStream = createUploadStream(context, registry);
  const metricsStream = createMetricsStream(context, registry, () => readMetrics(context));
  const workers = createWorkerProbe(platform.clock);
  const grants = await createMediaGrants(keyring);
  const recordGrant = createGrantRecord(context);
  const messaging = createMessaging(context);
  const auditChain = createAuditChain(context, await createSigner(keyring, "audit log"));
  const refusals = createRefusalCounts(context.platform.database, platform.clock);

  const routes: Route[] = [
    ...authRoutes(context, { authenticator, cookies, loginStates, signIn, ending, twitch }),
    ...uploadRoutes(context, createSourceLookup(sources)),
    ...pictureRoutes(context),
    ...liveRoutes({ uploads: uploadStream, metrics: metricsStream }),
    ...fileRoutes(context, grants, recordGrant),
    ...userRoutes(context, ending),
    ...dashboardRoutes(context),
    ...systemRoutes(context, archiver),
    ...auditRoutes(context, auditChain),
    ...costRoutes(context),
    ...notificationRoutes(context, messaging),
    ...viewRoutes(context),
  ];
  const { METRICS_TOKEN, PUBLIC_URL } = settings;
  const answer = createApi(context, {
    routes,
    protocols: tusRoutes(context, manualUploads),
    otherRoutes: [
      healthRoute,
      { path: READINESS_PATH, answer: createReadiness(context, () => storeHold.isUnopened) },
      { path: MEDIA_PATH, answer: createMediaServer(context, grants, recordGrant) },
      descriptionRoute(PUBLIC_URL),
      ...(METRICS_TOKEN === undefined
        ? []
        : [
            {
              path: PROMETHEUS_PATH,
              limit: METRICS,
              answer: createPrometheus(context, METRICS_TOKEN),
            },
          ]),
    ],
    authenticator,
    limits,
    recordRefusal: createRefusalRecord(context, refusals),
    allowedOrigins: new Set(
      [PUBLIC_URL, ...settings.CONSOLE_URL].map((url) => new URL(url).origin),
    ),
    isHttps,
    checksAnswers: options.checksAnswers ?? false,
  });
  let notifications: { stop(): void } | null = null;
  let storageTasks: { stop(): void } | null = null;

  return {
    fetch(request, info) {
      countRequest(context, metered.meter);
      return answer(request, info);
    },
    async consume(message) {
      await manualUploads.consume(message.uploadId);
      await archiver.consume(message);
    },
    openStore: () => storeHold.open(),
    start(duties = { streams: true, tasks: true }) {
      if (duties.streams) registry.start();
      if (!duties.tasks) return;
      for (const warning of settingsWarnings(settings)) log.warn(warning);
      scheduleSessionTasks(context, { twitch, cipher, ending });
      scheduleMetering(context, metered.meter);
      scheduleAlertCheck(context);
      scheduleAuditTasks(context, auditChain, refusals);
      scheduleSystemTasks(context, workers, copiedBytes);
      scheduleBanCancellations(context);
      scheduleOwnerIndex(context);
      storageTasks = scheduleStorageTasks(context);
      // Separate tasks, so that a store that does not answer delays none of the others.
      const { scheduler } = context.platform;
      scheduler.every(SWEEP_EVERY_MS, "store removals", () => carryOutRemovals(context));
      scheduler.every(SWEEP_EVERY_MS, "store hold", () => archiver.endHold());
      scheduler.every(SWEEP_EVERY_MS, "manual uploads", () => manualUploads.sweep());
      scheduler.every(SWEEP_EVERY_MS, "archive wake-ups", async () => {
        await archiver.sweep();
        workers.noteSweep();
      });
      notifications = scheduleNotifications(context, messaging);
    },
    async settle() {
      await refusals.flush();
      await copiedBytes.flush();
      await metered.meter.flush();
    },
    async stop() {
      uploadStream.stop();
      metricsStream.stop();
      registry.stop();
      storageTasks?.stop();
      await Promise.all([archiver.drain(), manualUploads.drain()]);
      notifications?.stop();
      await refusals.flush();
      await copiedBytes.flushAll();
      await metered.meter.flush();
    },
  };
}

/** An archive whose runner died resumes within its lease of 20 s plus this interval. */
const SWEEP_EVERY_MS = 3_000;
