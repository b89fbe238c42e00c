import { resolve } from "node:path";
import { systemClock } from "#hosts/ports/clock.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import type { TwitchVodId } from "#contract/ids.ts";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import type { Settings } from "#service/settings.ts";
import { createAppToken } from "#service/twitch/app-token.ts";
import { createGqlClient } from "#service/twitch/gql-client.ts";
import { VERSION } from "#service/version.ts";
import { checkApplication } from "./application-checks.ts";
import { type Finding, startCheckup } from "./checkup.ts";
import { checkDeployment } from "./deployment-checks.ts";
import { describeDifferences, readFingerprint, saveFingerprint } from "./fingerprint.ts";
import { checkMedia } from "./media-checks.ts";
import { createRecordedFetch } from "./recorded-fetch.ts";
import { findSample } from "./sample-checks.ts";
import { checkWebApi } from "./web-api-checks.ts";

/** What the doctor found, without secrets. */
export type Report = {
  readonly at: string;
  readonly version: string;
  /** True if a VOD could be archived whole, with its chat. */
  readonly canArchive: boolean;
  /** What changed at Twitch since the last examination. */
  readonly differences: readonly string[];
  readonly findings: readonly Finding[];
};

/** All checks together end after this. */
const LIMIT_MS = 55_000;

/**
 * Examines the deployment and Twitch. Read-only but for DATA_DIR/doctor.json, which keeps what
 * Twitch answered. Safe while the service runs, and repeatable.
 */
export async function examine(
  settings: Settings,
  fetch: OutgoingFetch,
  vodId: TwitchVodId | null,
): Promise<Report> {
  const checkup = startCheckup();
  const dataFolder = resolve(settings.DATA_DIR);
  const at = new Date(systemClock.now()).toISOString();
  const earlier = readFingerprint(dataFolder);
  await checkDeployment(checkup, settings, fetch);
  const { recorded, fetch: recordedFetch } = createRecordedFetch(fetch);
  const platform = { fetch: recordedFetch, clock: systemClock, random: systemRandom };
  const context = { platform, settings };
  const signal = AbortSignal.timeout(LIMIT_MS);
  const appToken = createAppToken(context);
  const gql = createGqlClient(context);
  const twitch = { checkup, context, appToken, gql, signal, recorded };
  if (settings.TWITCH_CLIENT_ID === undefined)
    await checkup.check("Twitch application", async (say) =>
      say(
        "problem",
        "Set TWITCH_CLIENT_ID and TWITCH_CLIENT_SECRET; without them a stand-in is used.",
      ),
    );
  else {
    await checkApplication(twitch);
    const video = await findSample(twitch, vodId);
    if (video !== null) {
      await checkWebApi(twitch, video.id);
      await checkMedia(twitch, video);
    }
  }
  const now = { at, answers: checkup.answers, seen: [...checkup.seen] };
  saveFingerprint(dataFolder, earlier, now);
  return {
    at,
    version: VERSION,
    canArchive: checkup.findings.every(({ result }) => result !== "problem"),
    differences: describeDifferences(earlier, now),
    findings: checkup.findings,
  };
}
