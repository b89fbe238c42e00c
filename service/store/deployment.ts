import * as z from "zod/mini";
import { sql } from "#service/db/sql.ts";
import { parseJson } from "#service/parse-json.ts";
import type { Platform } from "#service/platform.ts";
import { toHex } from "#service/secrets/hex.ts";

/** The row of the database that says which deployment it is. */
const SELECT_DEPLOYMENT = sql`
  SELECT deployment_id, generation, store_instance, former_instances,
    store_claimed_at IS NOT NULL AS has_claimed,
    NOT EXISTS (SELECT 1 FROM uploads) AND NOT EXISTS (SELECT 1 FROM files) AS is_empty
  FROM deployment WHERE deployment_id IS NOT NULL`;

const deploymentRow = z.object({
  deployment_id: z.string(),
  generation: z.number(),
  store_instance: z.nullable(z.string()),
  former_instances: z.string(),
  has_claimed: z.number(),
  is_empty: z.number(),
});

/** Which of the copies of one database this is. */
export type Copy = {
  /** The same in all copies. */
  readonly id: string;
  /** Raised by what makes this copy the one to go on with: a restore, a takeover, a start. */
  readonly generation: number;
  /** Random, of the last claim; null before the first one, and after a restore. */
  readonly instance: string | null;
  /** Those of its last claims before, the latest first. */
  readonly formerInstances: readonly string[];
};

/** More than the starts within the time that a request of an ended process can still be under way. */
const MOST_FORMER = 8;

/** Created on first use; a copy of the database is the same deployment. */
export async function readDeployment({
  database,
  random,
}: Pick<Platform, "database" | "random">): Promise<
  Copy & { readonly hasClaimed: boolean; readonly isEmpty: boolean }
> {
  let [row] = await database.all(SELECT_DEPLOYMENT);
  if (row === undefined) {
    const fresh = toHex(random.bytes(16));
    await database.run(
      sql`UPDATE deployment SET deployment_id = ${fresh} WHERE deployment_id IS NULL`,
    );
    [row] = await database.all(SELECT_DEPLOYMENT);
  }
  const { deployment_id: id, generation, ...rest } = deploymentRow.parse(row);
  return {
    id,
    generation,
    instance: rest.store_instance,
    formerInstances: parseJson(z.array(z.string()), rest.former_instances) ?? [],
    hasClaimed: rest.has_claimed === 1,
    isEmpty: rest.is_empty === 1,
  };
}

/**
 * Before the mark says so. Returns what the database has then: another process on it may have been
 * first.
 */
export async function renewCopy(
  platform: Pick<Platform, "database" | "random">,
  before: Copy,
  generation: number,
): Promise<Copy> {
  const instance = toHex(platform.random.bytes(8));
  const former = [before.instance ?? [], before.formerInstances].flat().slice(0, MOST_FORMER);
  await platform.database.run(sql`UPDATE deployment
    SET generation = ${generation}, store_instance = ${instance},
      former_instances = ${JSON.stringify(former)}
    WHERE generation = ${before.generation} AND store_instance IS ${before.instance}`);
  return await readDeployment(platform);
}

export async function rememberClaim({
  database,
  clock,
}: Pick<Platform, "database" | "clock">): Promise<void> {
  await database.run(
    sql`UPDATE deployment SET store_claimed_at = ${clock.now()} WHERE store_claimed_at IS NULL`,
  );
}

/** What a database was written with. Both are null for one that does not know. */
export type Origin = {
  /** The client id of the application at the real Twitch; null if only the stand-in played it. */
  readonly twitchClientId: string | null;
  /** That of the secret key (key-fingerprint.ts). */
  readonly keyFingerprint: string | null;
};

/** The real Twitch, once known, is never forgotten. */
export async function rememberOrigin(
  platform: Pick<Platform, "database" | "random">,
  { twitchClientId, keyFingerprint }: Origin,
): Promise<void> {
  await readDeployment(platform);
  await platform.database.run(sql`UPDATE deployment
    SET twitch_client_id = coalesce(${twitchClientId}, twitch_client_id),
      key_fingerprint = ${keyFingerprint}
    WHERE key_fingerprint IS NOT ${keyFingerprint}
      OR coalesce(${twitchClientId}, twitch_client_id) IS NOT twitch_client_id`);
}
