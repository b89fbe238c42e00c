import type { ServiceContext } from "#service/context.ts";
import { type ProbeResult, storeProbe } from "#service/health/health-store.ts";
import type { JobHandler } from "#service/jobs/job-runner.ts";
import { again, planOnce, later } from "#service/jobs/jobs.ts";
import type { Statement } from "#service/ports/database.ts";
import { checkCredentials, fingerprintOf } from "./examine.ts";
import { describeDifferences, mergeFingerprints } from "./fingerprint.ts";
import { readFingerprint, saveFingerprint } from "./fingerprint-store.ts";
import { planSample } from "./sample-archive.ts";
import { findSample, LIVE_CHANNELS } from "./sample-vod.ts";
import { startTwitchCheckup } from "./twitch-checkup.ts";

/*
 * Tries Twitch with about ten requests, and no media. The health of `twitch` goes:
 *
 * - unknown → healthy | degraded: the first check succeeded, or failed.
 * - healthy → degraded: a check failed. The next one, of another channel, decides.
 * - degraded → unhealthy: it failed too. The console shows why, and administrators are notified.
 * - degraded | unhealthy → healthy: a check succeeded.
 */

/** While Twitch works. */
const CHECK_EVERY_MS = 3_600_000;

/** After a failure: long enough for a brief outage to pass, soon enough to notice the end of one. */
const CHECK_AGAIN_MS = 300_000;

/** All requests of one check. */
const LIMIT_MS = 45_000;

/** As much as a banner can hold. */
const MAX_DIFFERENCES = 3;

/** For the start of a process. The first one has more urgent work. */
export function planTwitchCheck(nowMs: number): Statement {
  return planOnce("twitch", nowMs + CHECK_AGAIN_MS);
}

/** Checks once and records the result. What Twitch answered is kept only if nothing failed. */
export function twitchCheckJob(context: ServiceContext): JobHandler {
  const { platform, log } = context;
  const { database, clock, random } = platform;
  return {
    async run(job, signal) {
      const earlier = await readFingerprint(database);
      const limit = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
      const twitch = startTwitchCheckup(context, limit);
      if (await checkCredentials(twitch)) {
        const firstChannel = (random.bytes(1)[0] ?? 0) % LIVE_CHANNELS;
        const item = await findSample(twitch, null, firstChannel);
        if (item !== null) await planSample(twitch, item);
      }
      signal.throwIfAborted();
      const now = fingerprintOf(twitch);
      const differences = describeDifferences(earlier, now);
      const fault = twitch.checkup.findings.find(
        ({ result, isOfSample }) => result === "problem" && !isOfSample,
      );
      const sentences = [
        ...(fault === undefined ? [] : [`${fault.topic}: ${fault.text}`]),
        ...differences.slice(0, MAX_DIFFERENCES),
      ];
      const result: ProbeResult = {
        status: fault === undefined ? "healthy" : "unhealthy",
        detail: sentences.length === 0 ? null : sentences.join(" "),
      };
      const nowMs = clock.now();
      const recorded = storeProbe({ component: "twitch", ...result }, nowMs);
      if (fault === undefined) {
        if (differences.length > 0) log.info("Twitch answers differently", { differences });
        const fingerprint = saveFingerprint(mergeFingerprints(earlier, now));
        await later(platform, job, nowMs + CHECK_EVERY_MS, [...recorded, fingerprint]);
        return;
      }
      // Logs only the first of consecutive failures.
      if (job.attempts === 1) log.warn("A check of Twitch failed", { ...fault, differences });
      const failure = { message: result.detail, retryAfterMs: CHECK_AGAIN_MS };
      await again(platform, job, failure, recorded);
    },
  };
}
