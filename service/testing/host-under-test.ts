import type { Clock } from "#service/ports/clock.ts";
import type { Database } from "#service/ports/database.ts";
import type { WakeUp } from "#service/ports/resume-queue.ts";
import type { Platform } from "#service/platform.ts";
import type { Settings } from "#service/settings.ts";

/**
 * The host-specific parts of a test suite. `#host-under-test` resolves to Node's implementation, or
 * inside workerd to Cloudflare's (docs/decisions/0006-checks.md).
 */
export type HostUnderTest = {
  /**
   * Number of runs of a property on this host: the project's own on Node (vitest.config.ts), and
   * few where each statement is a message to another process.
   */
  runsOf(allRuns: number): number;
  /** The host's own platform with a migrated, empty database, on the test's clock. */
  openPlatform(settings: Settings, clock: Clock): Promise<PlatformUnderTest>;
  /** A database alone, migrated and empty; one at a time. */
  openDatabase(): Promise<Database & { close(): Promise<void> }>;
  /** A Twitch stand-in for this test, on the test's clock. */
  startTwitch(options: SteeredTwitchOptions, clock: Clock): Promise<SteeredTwitch>;
  /** A receiver of webhooks, perhaps in another process (stand-ins/receiver). */
  startReceiver(): Promise<{ readonly url: string; close(): Promise<void> }>;
};

export type PlatformUnderTest = {
  readonly platform: Platform;
  /** The folder of a host that stores files. */
  readonly folder: string | null;
  /** Everything written to the log so far, as JSON lines. */
  log(): string;
  /** Delivers the queue's messages to a service on this platform from now on. */
  attachConsumer(service: Consumer, openAnother: OpenConsumer): void;
  /** Stops the scheduler and the queue, and waits for running tasks. */
  quiesce(): Promise<void>;
  close(): Promise<void>;
};

export type Consumer = {
  consume(message: WakeUp): Promise<void>;
  stop(): Promise<void>;
};

/** For hosts that run each consumer in an invocation of its own. */
export type OpenConsumer = (platform: Platform) => Promise<Consumer>;

export type SteeredTwitchOptions = { readonly redirectUris?: readonly string[] };

/** The stand-in, perhaps in another process. */
export type SteeredTwitch = {
  readonly url: string;
  /** The service's settings that point it at the stand-in. */
  readonly settings: Readonly<Record<string, string>>;
  /** Sends it the test's time; call before requests that do not pass through the platform. */
  keepTime(): Promise<void>;
  close(): Promise<void>;
};
