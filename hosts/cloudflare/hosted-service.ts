import { createService, type Service } from "#service/app.ts";
import { isMigrated } from "#service/db/migrate.ts";
import { createRequestLimits, type RequestLimits } from "#service/http/request-limits.ts";
import { createLogger, type Logger } from "#service/logger.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { Settings } from "#service/settings.ts";
import type { Bindings } from "./bindings.ts";
import { openCloudflarePlatform, type PlatformOptions } from "./platform.ts";
import { readWorkerSettings } from "./worker-settings.ts";

/** The service on the platform of one invocation. */
export type HostedService = {
  readonly service: Service;
  readonly log: Logger;
  /** Writes log records and usage. Never rejects. */
  flush(): Promise<void>;
  /** Calls {@link flush} every few seconds until `end`. */
  keepFlushing(): void;
  end(): Promise<void>;
};

const SETTLE_EVERY_MS = 2_000;

/**
 * Checks the schema, because after a deployment the scheduler object may run its old code for a
 * while and leave the schema unmigrated.
 * @throws {SettingsError}, and an Error while the schema is older than this code
 */
export async function openHostedService(
  bindings: Bindings,
  options: PlatformOptions,
): Promise<HostedService> {
  const settings = readWorkerSettings(bindings);
  const host = openCloudflarePlatform(bindings, settings, options);
  if (!(await isMigrated(host.platform.database)))
    throw new Error("The scheduler has not yet brought the schema up to date");
  const service = await createService(host.platform, settings, {
    limits: limitsOfIsolate(host.platform.clock, settings),
  });
  const log = createLogger(host.platform.clock, host.platform.logs);
  const ending = new AbortController();

  async function flush(): Promise<void> {
    try {
      await service.flush();
    } catch (error) {
      log.warn("Usage was not recorded yet", { error });
    }
    await host.flushLogs();
  }

  async function flushUntilEnd(): Promise<void> {
    while (!ending.signal.aborted) {
      await host.platform.clock.sleep(SETTLE_EVERY_MS, ending.signal);
      await flush();
    }
  }

  return {
    service,
    log,
    flush,
    keepFlushing: () => void flushUntilEnd(),
    async end() {
      ending.abort();
      await service.stop();
      await host.close();
    },
  };
}

/** For invocations without scheduled tasks. */
export const NO_SCHEDULER: PlatformOptions["scheduler"] = { every: () => undefined };

const ofFactor = new Map<number, RequestLimits>();

/**
 * Shares the limits among all services in an isolate: the service of an event stream would
 * otherwise count only its own request. They are plain memory, which any request may access.
 */
function limitsOfIsolate(clock: Clock, { RATE_LIMIT_FACTOR: factor }: Settings): RequestLimits {
  const limits = ofFactor.get(factor) ?? createRequestLimits(clock, factor);
  ofFactor.set(factor, limits);
  return limits;
}
