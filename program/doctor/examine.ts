import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { writePrivateFile } from "#hosts/node/data-folder.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import type { Examination } from "#contract/examination.ts";
import type { TwitchVodId } from "#contract/ids.ts";
import { examine } from "#service/doctor/examine.ts";
import { type Fingerprint, fingerprintSchema } from "#service/doctor/fingerprint.ts";
import { parseJson } from "#service/parse-json.ts";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import type { Settings } from "#service/settings.ts";
import { describeDeployment } from "./deployment.ts";

const FINGERPRINT_FILE = "doctor.json";

/**
 * Examines this machine and Twitch. Read-only but for DATA_DIR/doctor.json, which keeps what Twitch
 * answered. Safe while the service runs, and repeatable.
 */
export async function examineMachine(
  settings: Settings,
  fetch: OutgoingFetch,
  vodId: TwitchVodId | null,
): Promise<Examination> {
  const path = resolve(settings.DATA_DIR);
  const context = { platform: { fetch, clock: systemClock, random: systemRandom }, settings };
  const deployment = describeDeployment(settings, fetch, path);
  const earlier = readFingerprint(path);
  const { examination, fingerprint } = await examine(context, deployment, earlier, vodId);
  if (!existsSync(path)) mkdirSync(path, { recursive: true, mode: 0o700 });
  writePrivateFile({ path }, FINGERPRINT_FILE, JSON.stringify(fingerprint, null, 2));
  return examination;
}

/** Null before the first run, and for a file that cannot be read. */
function readFingerprint(dataFolder: string): Fingerprint | null {
  try {
    return parseJson(fingerprintSchema, readFileSync(join(dataFolder, FINGERPRINT_FILE), "utf8"));
  } catch {
    return null;
  }
}
