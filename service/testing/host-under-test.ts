import type { Clock } from "#service/ports/clock.ts";
import type { Database } from "#service/ports/database.ts";
import type { WakeUp } from "#service/ports/resume-queue.ts";
import type { Platform } from "#service/platform.ts";
import type { Settings } from "#service/settings.ts";

/**
 * What a suite needs of the host it runs on. `#host-under-test` names one of two of these: that of
 * Node, and inside workerd that of Cloudflare (docs/decisions/0082-suites-on-both-hosts.md).
 */
export type HostUnderTest = {
  /**
   * How many of all runs of a property fit into the time here: on Node those of the project
   * (vitest.config.ts), and few where each statement is a message to another process.
   */
  runsOf(allRuns: number): number;
  /** The host's own parts, migrated and empty, at the test's time. */
  openPlatform(settings: Settings, clock: Clock): Promise<PlatformUnderTest>;
  /** A database alone, migrated and empty; one at a time. */
  openDatabase(): Promise<Database & { close(): Promise<void> }>;
  /** A Twitch of the test's own, which goes by the test's clock. */
  startTwitch(options: SteeredTwitchOptions, clock: Clock): Promise<SteeredTwitch>;
};

export type PlatformUnderTest = {
  readonly platform: Platform;
  /** Where a host of files keeps them. */
  readonly folder: string | null;
  /** Everything written to the log so far, as JSON lines. */
  log(): string;
  /** Delivers the queue's messages to a service on this platform from now on. */
  attachConsumer(service: Consumer, openAnother: OpenConsumer): void;
  /** Ends the scheduler's and the queue's runs, waiting for those in progress. */
  quiesce(): Promise<void>;
  close(): Promise<void>;
};

export type Consumer = {
  consume(message: WakeUp): Promise<void>;
  stop(): Promise<void>;
};

/** For hosts whose consumers are invocations of their own. */
export type OpenConsumer = (platform: Platform) => Promise<Consumer>;

export type SteeredTwitchOptions = {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris?: readonly string[];
};

export type TwitchAddresses = {
  readonly idUrl: string;
  readonly apiUrl: string;
  readonly gqlUrl: string;
  readonly usherUrl: string;
  readonly mediaHost: string;
};

/** The stand-in as it is seen from another process. */
export type SteeredTwitch = {
  readonly addresses: TwitchAddresses;
  /** Calls a method of its control. */
  steer(method: string, parameters: readonly unknown[]): Promise<unknown>;
  /** Tells it the test's time, before whoever asks it by another way than the platform. */
  keepTime(): Promise<void>;
  close(): Promise<void>;
};
