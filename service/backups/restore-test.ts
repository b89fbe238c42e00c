import type { ServiceContext } from "#service/context.ts";
import { parseJson } from "#service/parse-json.ts";
import type { SnapshotFacts, Snapshots } from "#service/ports/snapshots.ts";
import { findShortage } from "#service/space/disk-space.ts";
import { backupKeys, backupTimeMs, factsSchema, listStoredBackups } from "./stored-backups.ts";

/*
 * Every week the newest backup is restored into a temporary folder and compared with what is recorded
 * of it. It is damaged if that fails twice; a store that is away, or a full disk, says nothing of it.
 */

const DAY_MS = 24 * 3_600_000;
export const AFTER_SUCCESS_MS = 7 * DAY_MS;
/** By then there is another backup. */
export const AFTER_DAMAGE_MS = DAY_MS;

/** One answer of the store may be wrong. */
const TRIES = 2;

export type Tested =
  | { readonly damage: string }
  | { readonly madeAtMs: number; readonly uploads: number; readonly files: number };

/** Tests the newest backup of the store; null if there is none. */
export async function testRestoring(
  context: ServiceContext,
  snapshots: Snapshots,
): Promise<Tested | null> {
  const { objects, clock, database } = context.platform;
  const [time] = (await listStoredBackups(objects, clock.now())).times;
  if (time === undefined) return null;
  const shortage = await findShortage(context, (await database.sizeBytes?.()) ?? 0);
  if (shortage !== null) throw new Error(shortage);
  let tried = await tryOnce(context, snapshots, time);
  for (let tries = 1; "damage" in tried && tries < TRIES; tries += 1)
    tried = await tryOnce(context, snapshots, time);
  if ("damage" in tried) {
    context.log.error("A backup could not be restored in a test", { time, ...tried });
    return tried;
  }
  const { uploads, files } = tried;
  context.log.info("A backup was restored in a test", { time, uploads, files });
  return { madeAtMs: backupTimeMs(time), uploads, files };
}

async function tryOnce(
  { platform: { objects } }: ServiceContext,
  snapshots: Snapshots,
  time: string,
): Promise<SnapshotFacts | { readonly damage: string }> {
  const keys = backupKeys(time);
  const described = await objects.get(keys.facts);
  if (described === null) return { damage: `${objects.name} has no ${keys.facts}.` };
  const facts = parseJson(factsSchema, await new Response(described.body).text());
  if (facts === null) return { damage: `${keys.facts} does not describe a backup.` };
  const stored = await objects.get(keys.data);
  if (stored === null) return { damage: `${objects.name} has no ${keys.data}.` };
  const damage = await snapshots.tryRestoring(stored.body, facts);
  return damage === null ? facts : { damage: `${keys.data}: ${damage}` };
}
