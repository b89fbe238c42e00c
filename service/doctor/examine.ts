import type { Examination } from "#contract/examination.ts";
import type { TwitchVodId } from "#contract/ids.ts";
import { BUILD } from "#service/version.ts";
import { checkApplication } from "./application-checks.ts";
import { startCheckup } from "./checkup.ts";
import { checkDeployment, type Deployment } from "./deployment-checks.ts";
import { describeDifferences, type Fingerprint, mergeFingerprints } from "./fingerprint.ts";
import { planSample, readSample } from "./sample-archive.ts";
import { findSample } from "./sample-vod.ts";
import { type DoctorContext, startTwitchCheckup, type TwitchCheckup } from "./twitch-checkup.ts";
import { checkWebApi } from "./web-api-checks.ts";

/** The checks of Twitch end after this; those of the deployment have limits of their own. */
const LIMIT_MS = 45_000;

/** Examines the deployment and Twitch. Writes nothing; safe while the service runs. */
export async function examine(
  context: DoctorContext,
  deployment: Deployment,
  earlier: Fingerprint | null,
  vodId: TwitchVodId | null,
): Promise<{ readonly examination: Examination; readonly fingerprint: Fingerprint }> {
  const checkup = startCheckup();
  const twitch = startTwitchCheckup(context, AbortSignal.timeout(LIMIT_MS));
  await Promise.all([checkDeployment(checkup, deployment), examineTwitch(twitch, vodId)]);
  const findings = [...checkup.findings, ...twitch.checkup.findings];
  const now = fingerprintOf(twitch);
  return {
    examination: {
      at: now.at,
      version: BUILD,
      canArchive: findings.every(({ result }) => result !== "problem"),
      differences: [...describeDifferences(earlier, now)],
      findings: findings.map(({ topic, result, text }) => ({ topic, result, text })),
    },
    fingerprint: mergeFingerprints(earlier, now),
  };
}

/** What Twitch answered in this run. */
export function fingerprintOf({ sightings, context }: TwitchCheckup): Fingerprint {
  const at = new Date(context.platform.clock.now()).toISOString();
  return { at, answers: sightings.answers, seen: [...sightings.seen] };
}

/** False, with the problem, where no application is set. */
export async function checkCredentials({ checkup, context }: TwitchCheckup): Promise<boolean> {
  if (context.settings.TWITCH_CLIENT_ID !== undefined) return true;
  await checkup.check("Twitch application", async (say) =>
    say(
      "problem",
      "Set TWITCH_CLIENT_ID and TWITCH_CLIENT_SECRET; without them a stand-in is used.",
    ),
  );
  return false;
}

async function examineTwitch(twitch: TwitchCheckup, vodId: TwitchVodId | null): Promise<void> {
  if (!(await checkCredentials(twitch))) return;
  await checkApplication(twitch);
  const item = await findSample(twitch, vodId);
  if (item === null) return;
  await checkWebApi(twitch, item.id);
  await readSample(twitch, item, await planSample(twitch, item));
}
