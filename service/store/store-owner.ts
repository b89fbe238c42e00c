import { toHex } from "#service/secrets/hex.ts";
import * as z from "zod/mini";
import { objectKeySchema } from "#contract/files.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { type ObjectStore, StoreError } from "#service/ports/object-store.ts";

/**
 * Which deployment owns a store. Two deployments may use the same bucket, and each would take the
 * other's files for strays. A deployment therefore writes the id from its database into an
 * object of the store, and removes or marks unrecorded objects only if that object has its id
 * (decision record 0003).
 *
 * A store that is not shared belongs to the process that holds DATA_DIR.
 */
const ownerSchema = z.object({
  deploymentId: z.string(),
  /** PUBLIC_URL of the owner, for messages. */
  publicUrl: z.string(),
  /** When it claimed the store. */
  since: z.string(),
});
export type StoreOwner = z.infer<typeof ownerSchema>;

export const OWNER_KEY = objectKeySchema.parse("vodkeep-owner.json");

type Context = Pick<ServiceContext, "platform" | "settings">;

/**
 * Makes this deployment the owner of a store without one, and updates its PUBLIC_URL there.
 * Idempotent.
 * @throws {StoreError} `denied` when the store belongs to another deployment, or refuses access
 */
export async function claimStore(context: Context): Promise<void> {
  const { platform, settings } = context;
  const { objects } = platform;
  if (!objects.isShared) return;
  const deploymentId = await readDeploymentId(platform);
  const owner = await readOwner(objects);
  if (owner?.deploymentId === deploymentId && owner.publicUrl === settings.PUBLIC_URL) return;
  if (owner !== null && owner.deploymentId !== deploymentId) throw takenBy(owner, objects);
  await writeOwner(context, deploymentId, owner?.since ?? null);
  // Two deployments may have found no owner at the same time.
  const written = await readOwner(objects);
  if (written !== null && written.deploymentId !== deploymentId) throw takenBy(written, objects);
}

/** Makes this deployment the owner. Returns the previous owner; null if none or itself. */
export async function takeOverStore(context: Context): Promise<StoreOwner | null> {
  const deploymentId = await readDeploymentId(context.platform);
  const owner = await readOwner(context.platform.objects);
  if (owner?.deploymentId === deploymentId) return null;
  await writeOwner(context, deploymentId, null);
  return owner;
}

/** Call before removing unrecorded objects or marking orphans. @throws {StoreError} */
export async function ownsStore({ platform }: Pick<Context, "platform">): Promise<boolean> {
  if (!platform.objects.isShared) return true;
  const owner = await readOwner(platform.objects);
  return owner?.deploymentId === (await readDeploymentId(platform));
}

async function readOwner(objects: ObjectStore): Promise<StoreOwner | null> {
  const found = await objects.get(OWNER_KEY);
  if (found === null) return null;
  const text = await new Response(found.body).text();
  const owner = ownerSchema.safeParse(parseJson(text));
  return owner.success
    ? owner.data
    : { deploymentId: "", publicUrl: "an unknown address", since: "an unknown time" };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

async function writeOwner(
  { platform, settings }: Context,
  deploymentId: string,
  since: string | null,
): Promise<void> {
  const owner: StoreOwner = {
    deploymentId,
    publicUrl: settings.PUBLIC_URL,
    since: since ?? new Date(platform.clock.now()).toISOString(),
  };
  await platform.objects.put(OWNER_KEY, new TextEncoder().encode(`${JSON.stringify(owner)}\n`), {
    contentType: "application/json",
  });
}

/** Created on first use; a copy of the database is the same deployment. */
async function readDeploymentId({
  database,
  random,
}: Pick<Context["platform"], "database" | "random">): Promise<string> {
  const fresh = toHex(random.bytes(16));
  await database.run(
    sql`INSERT OR IGNORE INTO deployment (id, deployment_id) VALUES (1, ${fresh})`,
  );
  const [row] = await database.all(sql`SELECT deployment_id FROM deployment`);
  return String(row?.deployment_id);
}

function takenBy({ publicUrl, since }: StoreOwner, { name }: ObjectStore): StoreError {
  return new StoreError(
    "denied",
    `The store ${name} belongs to the Vodkeep at ${publicUrl}, since ${since}. Give this one a folder ` +
      "of its own, or a prefix of its own in OBJECT_STORE. If the other one has ended for good, " +
      "take its store over with `npm run takeover`, or with `npm run rebuild-index -- --takeover`, " +
      "which also puts its files back into the index",
  );
}
