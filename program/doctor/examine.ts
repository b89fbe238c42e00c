import { resolve } from "node:path";
import { systemClock } from "#hosts/ports/clock.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import type { Examination } from "#contract/examination.ts";
import type { TwitchVodId } from "#contract/ids.ts";
import { examine } from "#service/doctor/examine.ts";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import type { Settings } from "#service/settings.ts";
import { describeDeployment } from "./deployment.ts";
import { readFingerprint, saveFingerprint } from "./fingerprint-file.ts";

/**
 * Examines this machine and Twitch. Read-only but for DATA_DIR/doctor.json, which keeps what Twitch
 * answered. Safe while the service runs, and repeatable.
 */
export async function examineMachine(
  settings: Settings,
  fetch: OutgoingFetch,
  vodId: TwitchVodId | null,
): Promise<Examination> {
  const dataFolder = resolve(settings.DATA_DIR);
  const context = { platform: { fetch, clock: systemClock, random: systemRandom }, settings };
  const deployment = describeDeployment(settings, fetch, dataFolder);
  const earlier = readFingerprint(dataFolder);
  const { examination, fingerprint } = await examine(context, deployment, earlier, vodId);
  saveFingerprint(dataFolder, fingerprint);
  return examination;
}
