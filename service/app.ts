import { hasAdministrator, keepBootstrapAdministrators } from "./auth/signed-in-user.ts";
import { planBackups } from "./backups/backup-jobs.ts";
import { planProfileCheck } from "./channels/channel-profiles.ts";
import { countRequest } from "./costs/metering-tasks.ts";
import type { ServiceContext } from "./context.ts";
import { planTwitchCheck } from "./doctor/twitch-watch.ts";
import { createFeatures } from "./features.ts";
import { createRequestLimits, type RequestLimits } from "./http/request-limits.ts";
import { planLibrary } from "./library/library-sweep.ts";
import { planScrub } from "./proof/verification-request.ts";
import { proveManualUpload } from "./manual-uploads/proof.ts";
import { releaseJobs } from "./jobs/jobs.ts";
import { openContext } from "./open-context.ts";
import type { Platform } from "./platform.ts";
import type { WakeUp } from "./ports/resume-queue.ts";
import { buildRoutes } from "./routes.ts";
import { releaseLeases } from "./storage/lease.ts";
import { scheduleTasks, type LongTasks } from "./schedule.ts";
import { settingsWarnings, type Settings } from "./settings.ts";
import type { FirstSetup } from "./setup/first-setup.ts";

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
  flush(): Promise<void>;
  /** Whether there is no administrator yet and the host can make one ({@link FirstSetup}). */
  isSetupOpen(): Promise<boolean>;
  stop(): Promise<void>;
};

/** Background work. A single-process host does all of it. */
export type Duties = {
  /** Heartbeats of open streams, and closing them when a session ends or a right is lost. */
  readonly streams: boolean;
  /** Sweeps, probes, notifications, retention: only one process of the deployment may run them. */
  readonly tasks: boolean;
};

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
  const opened = openContext(platform, settings);
  const { context, meter, copiedBytes } = opened;
  const { database } = context.platform;
  await database.batch([
    ...keepBootstrapAdministrators(settings.ADMIN_TWITCH_IDS),
    ...(platform.runtime.isSoleWriter ? [releaseLeases(platform.clock.now()), releaseJobs()] : []),
    ...(await planBackups(context)),
    ...planLibrary(context),
    planProfileCheck(platform.clock.now()),
    planScrub(platform.clock.now()),
    planTwitchCheck(platform.clock.now()),
  ]);
  const features = await createFeatures(context);
  const { archiver, manualUploads, storeHold, streams, refusals } = features;
  const answer = buildRoutes(context, features, {
    limits: options.limits ?? createRequestLimits(platform.clock, settings.RATE_LIMIT_FACTOR),
    checksAnswers: options.checksAnswers ?? false,
  });
  let tasks: LongTasks | null = null;

  return {
    fetch(request, info) {
      countRequest(context, meter);
      return answer(request, info);
    },
    async consume(message) {
      if ("kind" in message) {
        await features.jobs.run(message.kind);
        return;
      }
      await proveManualUpload(manualUploads, message.uploadId);
      await archiver.consume(message);
    },
    openStore: () => storeHold.open(),
    start(duties = { streams: true, tasks: true }) {
      if (duties.streams) streams.start();
      if (!duties.tasks) return;
      warnOfSettings(context, features.setup).catch((error: unknown) =>
        context.log.warn("The settings could not be checked for warnings", { error }),
      );
      tasks = scheduleTasks(opened, features);
    },
    async flush() {
      await refusals.flush();
      await copiedBytes.flush();
      await meter.flush();
    },
    isSetupOpen: () => features.setup.isOpen(),
    async stop() {
      features.uploadStream.stop();
      features.metricsStream.stop();
      streams.stop();
      tasks?.polling.stop();
      await Promise.all([
        archiver.drain(),
        features.jobs.stop(),
        manualUploads.active.interruptAll(),
      ]);
      tasks?.notifications.stop();
      await refusals.flush();
      await copiedBytes.flushAll();
      await meter.flushAll();
    },
  };
}

async function warnOfSettings(
  { platform, settings, log }: ServiceContext,
  setup: Pick<FirstSetup, "isOpen">,
): Promise<void> {
  const isAdministered = (await setup.isOpen()) || (await hasAdministrator(platform.database));
  for (const warning of settingsWarnings(settings, isAdministered)) log.warn(warning);
}
