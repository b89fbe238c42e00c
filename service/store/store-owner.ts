import * as z from "zod/mini";
import { objectKeySchema } from "#contract/files.ts";
import type { ServiceContext } from "#service/context.ts";
import { parseJson } from "#service/parse-json.ts";
import { type ObjectStore, StoreError } from "#service/ports/object-store.ts";
import { OBJECT_PREFIXES } from "#service/storage/key-owner.ts";
import { readStored } from "#service/storage/read-stored.ts";
import { readDeployment, rememberClaim } from "./deployment.ts";

/**
 * Whose store this is (decision record 0003). A deployment writes the id from its database into an
 * object of the store, the owner mark, and the database remembers that it did.
 *
 * | owner mark       | the database          | state      | consequence
 * |------------------|-----------------------|------------|---------------------------------------
 * | names us         | any                   | ours       | everything works
 * | none             | never claimed a store | unclaimed  | the mark is written: ours
 * | none             | empty, above archives | `foreign`  | no start; `vodkeep rebuild-index`
 * | none             | has claimed a store   | `unmarked` | everything waits for the mark
 * | names another    | any                   | `foreign`  | no start, everything waits
 * | cannot be read   | any                   | unknown    | the error of the read
 *
 * `unmarked` is an unmounted disk, or a bucket that was emptied or made anew. While the store is not
 * ours, owned-store.ts refuses every write, and every answer that something is absent.
 */
const ownerSchema = z.object({
  deploymentId: z.string(),
  /** PUBLIC_URL of the owner, for messages. */
  publicUrl: z.string(),
  /** When it claimed the store. */
  since: z.string(),
});
type StoreOwner = z.infer<typeof ownerSchema>;

export const OWNER_KEY = objectKeySchema.parse("vodkeep-owner.json");

type Context = Pick<ServiceContext, "platform" | "settings">;

/**
 * Makes this deployment the owner of an unclaimed store, and updates its PUBLIC_URL in the mark.
 * `adopts` also claims a store with archives for an empty database. Idempotent. Returns the id of
 * this deployment.
 * @throws {StoreError} `foreign`, `unmarked`, or that of the store
 */
export async function claimStore(context: Context, { adopts = false } = {}): Promise<string> {
  const { objects } = context.platform;
  const { id, hasClaimed, isEmpty } = await readDeployment(context.platform);
  const owner = await readOwner(objects);
  if (owner !== null || hasClaimed) requireOurs(objects, owner, id);
  else if (isEmpty && !adopts && (await hasArchives(objects))) throw unindexed(objects);
  if (owner?.publicUrl !== context.settings.PUBLIC_URL) {
    await writeOwner(context, id, owner?.since ?? null);
    // Two deployments may have found no owner at the same time.
    requireOurs(objects, await readOwner(objects), id);
  }
  if (!hasClaimed) await rememberClaim(context.platform);
  return id;
}

/**
 * Makes this deployment the owner, whatever the store shows. Returns the previous owner; null if
 * there was none, or it was this deployment.
 */
export async function takeOverStore(context: Context): Promise<StoreOwner | null> {
  const { id } = await readDeployment(context.platform);
  const owner = await readOwner(context.platform.objects);
  if (owner?.deploymentId !== id) await writeOwner(context, id, null);
  await rememberClaim(context.platform);
  return owner?.deploymentId === id ? null : owner;
}

/** Reads the owner mark. @throws {StoreError} `foreign` or `unmarked`, or that of the store */
export async function checkOwner(objects: ObjectStore, deploymentId: string): Promise<void> {
  requireOurs(objects, await readOwner(objects), deploymentId);
}

function requireOurs({ name }: ObjectStore, owner: StoreOwner | null, id: string): void {
  if (owner?.deploymentId === id) return;
  if (owner === null)
    throw new StoreError(
      "unmarked",
      `The store ${name} is not this Vodkeep's: it has no ${OWNER_KEY}. Mount its disk, or correct ` +
        "OBJECT_STORE; work then goes on by itself",
    );
  throw new StoreError(
    "foreign",
    `The store ${name} belongs to the Vodkeep at ${owner.publicUrl}, since ${owner.since}. Give this one a folder ` +
      "of its own, or a prefix of its own in OBJECT_STORE. If the other one has ended for good, " +
      "take its store over with `vodkeep takeover`, or with `vodkeep rebuild-index --takeover`, " +
      "which also puts its files back into the index",
  );
}

function unindexed({ name }: ObjectStore): StoreError {
  return new StoreError(
    "foreign",
    `The store ${name} holds archives, but the database is empty. If the database was lost, restore ` +
      "it from a backup, or put the files back into the index with `vodkeep rebuild-index`. " +
      "Otherwise give this Vodkeep a store of its own",
  );
}

async function hasArchives(objects: ObjectStore): Promise<boolean> {
  const pages = await Promise.all(OBJECT_PREFIXES.map((prefix) => objects.list({ prefix })));
  return pages.some((page) => page.objects.some(({ key }) => key.endsWith(".manifest.json")));
}

async function readOwner(objects: ObjectStore): Promise<StoreOwner | null> {
  const bytes = await readStored(objects, OWNER_KEY);
  if (bytes === null) return null;
  return (
    parseJson(ownerSchema, new TextDecoder().decode(bytes)) ?? {
      deploymentId: "",
      publicUrl: "an unknown address",
      since: "an unknown time",
    }
  );
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
