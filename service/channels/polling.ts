import type { ServiceContext } from "#service/context.ts";
import type { JobHandler } from "#service/jobs/job-runner.ts";
import { again, type Fault, type Job, later } from "#service/jobs/jobs.ts";
import type { Statement } from "#service/ports/database.ts";
import { SourceError } from "#service/source/source-error.ts";
import { ApplicationRefused } from "#service/twitch/app-token.ts";
import type { TwitchApi } from "#service/twitch/twitch-api.ts";

/** What the tasks that follow channels share. */
export type Polling = {
  readonly context: ServiceContext;
  /** Its requests wait for the background's budget (twitch/request-budget.ts). */
  readonly api: TwitchApi;
  /** Aborts when the service stops. */
  readonly signal: AbortSignal;
};

export const MINUTE_MS = 60_000;
export const DAY_MS = 24 * 60 * MINUTE_MS;

/** In a row; fewer are usual. A refused application is told at once, because it does not pass. */
export const FAILURES_BEFORE_TROUBLE = 3;

/** Administrators are told of several in a row, or that nothing but they can help. */
export function faultOf({ attempts }: Job, error: SourceError): Fault {
  const isTold = error instanceof ApplicationRefused || attempts >= FAILURES_BEFORE_TROUBLE;
  return { message: isTold ? error.message : null, retryAfterMs: error.retryAfterMs };
}

/**
 * A job that asks Twitch for all of its kind and is due again at `nextAt`. An unanswered request changes
 * nothing, and is repeated after a pause.
 */
export function checkJob(
  { platform }: ServiceContext,
  check: (job: Job, signal: AbortSignal) => Promise<void>,
  nextAt: (nowMs: number) => Statement,
): JobHandler {
  return {
    async run(job, signal) {
      try {
        await check(job, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof SourceError)) throw error;
        await again(platform, job, faultOf(job, error));
        return;
      }
      await later(platform, job, nextAt(platform.clock.now()));
    },
  };
}
