import type { ServiceContext } from "#service/context.ts";
import { type ProbeResult, recordProbes } from "#service/health/health-store.ts";
import { checkCredentials, fingerprintOf } from "./examine.ts";
import { describeDifferences, type Fingerprint, mergeFingerprints } from "./fingerprint.ts";
import { readTwitchRecord, saveFingerprint } from "./fingerprint-store.ts";
import { planSample } from "./sample-archive.ts";
import { findSample, LIVE_CHANNELS } from "./sample-vod.ts";
import { startTwitchCheckup } from "./twitch-checkup.ts";

/**
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
const LOOK_EVERY_MS = 300_000;

/** Two looks are not exactly this far apart. */
const EARLY_MS = 30_000;

/** All requests of one check; below the interval between two looks. */
const LIMIT_MS = 45_000;

/** As much as a banner can hold. */
const MAX_DIFFERENCES = 3;

export function scheduleTwitchWatch(context: ServiceContext): void {
  const { scheduler, database, clock } = context.platform;
  let isFirst = true;
  scheduler.every(LOOK_EVERY_MS, "twitch check", async () => {
    // The first run is at the start of the process, which has more urgent work.
    if (isFirst) {
      isFirst = false;
      return;
    }
    const { checkedAtMs, failures, fingerprint } = await readTwitchRecord(database);
    const waitMs = failures > 0 ? LOOK_EVERY_MS : CHECK_EVERY_MS;
    if (clock.now() - checkedAtMs >= waitMs - EARLY_MS) await checkTwitch(context, fingerprint);
  });
}

/** Checks once and records the result. What Twitch answered is kept only if nothing failed. */
export async function checkTwitch(
  context: ServiceContext,
  earlier: Fingerprint | null,
): Promise<void> {
  const { platform, log } = context;
  const twitch = startTwitchCheckup(context, LIMIT_MS);
  if (await checkCredentials(twitch)) {
    const firstChannel = (platform.random.bytes(1)[0] ?? 0) % LIVE_CHANNELS;
    const item = await findSample(twitch, null, firstChannel);
    if (item !== null) await planSample(twitch, item);
  }
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
  const { database, clock } = platform;
  const failures = await recordProbes(database, [{ component: "twitch", ...result }], clock.now());
  // Logs only the first of consecutive failures.
  if (failures.get("twitch") === 1) log.warn("A check of Twitch failed", { ...fault, differences });
  if (fault !== undefined) return;
  if (differences.length > 0) log.info("Twitch answers differently", { differences });
  await database.run(saveFingerprint(mergeFingerprints(earlier, now)));
}
