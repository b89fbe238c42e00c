import * as z from "zod/mini";
import { sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import { toHex } from "#service/secrets/hex.ts";

/** The row of the database that says which deployment it is. */
const SELECT_DEPLOYMENT = sql`
  SELECT deployment_id, generation, store_instance, store_claimed_at IS NOT NULL AS has_claimed,
    NOT EXISTS (SELECT 1 FROM uploads) AND NOT EXISTS (SELECT 1 FROM files) AS is_empty
  FROM deployment`;

const deploymentRow = z.object({
  deployment_id: z.string(),
  generation: z.number(),
  store_instance: z.nullable(z.string()),
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
};

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
      sql`INSERT OR IGNORE INTO deployment (id, deployment_id) VALUES (1, ${fresh})`,
    );
    [row] = await database.all(SELECT_DEPLOYMENT);
  }
  const { deployment_id: id, generation, ...rest } = deploymentRow.parse(row);
  return {
    id,
    generation,
    instance: rest.store_instance,
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
  await platform.database.run(sql`UPDATE deployment
    SET generation = ${generation}, store_instance = ${instance}
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
