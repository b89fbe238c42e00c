import * as z from "zod/mini";
import { objectKeySchema } from "#contract/files.ts";
import type { ServiceContext } from "#service/context.ts";
import type { Platform } from "#service/platform.ts";
import { parseJson } from "#service/parse-json.ts";
import { type ObjectStore, StoreError } from "#service/ports/object-store.ts";
import { OBJECT_PREFIXES } from "#service/storage/key-owner.ts";
import { readStored } from "#service/storage/read-stored.ts";
import { type Copy, readDeployment, rememberClaim, renewCopy } from "./deployment.ts";

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
 * Copies of one database, such as a restored one and its original, have the same id. Of these the mark
 * names the generation and the instance, which is new with each start of a single process:
 *
 * | the mark's generation | its instance | consequence for the copy
 * |-----------------------|--------------|------------------------------------------
 * | higher than ours      | any          | `foreign`: another copy goes on
 * | ours                  | another      | a start raises the generation; else `foreign`
 * | ours                  | a former one | of an ended process, stored late: the mark is written anew
 * | lower                 | any          | the mark is written anew
 * | ours                  | ours         | ours
 *
 * `restore` and `takeover` raise the generation above the mark's, so the copy that an operator chose
 * last, or else started last, is the only one that writes. Marks without a generation have 0.
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
  generation: z._default(z.number(), 0),
  instance: z._default(z.nullable(z.string()), null),
});
type StoreOwner = z.infer<typeof ownerSchema>;

export const OWNER_KEY = objectKeySchema.parse("vodkeep-owner.json");

/** Each of a few ended processes may have left a request that is stored after the mark. */
const MOST_WRITES = 3;

type Context = Pick<ServiceContext, "platform" | "settings">;

/**
 * Makes this deployment the owner of an unclaimed store, and updates its PUBLIC_URL in the mark.
 * `adopts` also claims a store with archives for an empty database. `isStart`: of a process, whose
 * copy goes on in place of another that the mark names in the same generation. Idempotent.
 * @throws {StoreError} `foreign`, `unmarked`, or that of the store
 */
export async function claimStore(
  context: Context,
  { adopts = false, isStart = true } = {},
): Promise<Copy> {
  const { objects, runtime } = context.platform;
  const known = await readDeployment(context.platform);
  const { hasClaimed, isEmpty } = known;
  const owner = await readOwner(objects);
  const isFork = owner?.generation === known.generation && !isOurs(owner, known);
  if (owner !== null || hasClaimed)
    requireOurs(objects, isFork && isStart ? { ...owner, instance: known.instance } : owner, known);
  else if (isEmpty && !adopts && (await hasArchives(objects))) throw unindexed(objects);
  // Where several processes share a database, one that starts is no other copy.
  const isNew = isFork || known.instance === null || (isStart && runtime.isSoleWriter);
  const own = isNew
    ? await renewCopy(context.platform, known, known.generation + Number(isFork))
    : known;
  let mark = owner;
  for (let writes = 0; writes < MOST_WRITES && !isCurrent(mark, own, context); writes += 1) {
    await writeOwner(context, own, owner?.generation === own.generation ? owner.since : null);
    // Two deployments may have found no owner at the same time.
    mark = await readOwner(objects);
    requireOurs(objects, mark, own);
  }
  if (!hasClaimed) await rememberClaim(context.platform);
  return own;
}

/**
 * Makes this copy of the deployment the owner, whatever the store shows. Returns the previous owner;
 * null if there was none, or it was this one.
 */
export async function takeOverStore(context: Context): Promise<StoreOwner | null> {
  const known = await readDeployment(context.platform);
  const owner = await readOwner(context.platform.objects);
  const own = await supersede(context.platform);
  await writeOwner(context, own, null);
  await rememberClaim(context.platform);
  return owner === null || isOurs(owner, known) ? null : owner;
}

/** Raises the generation above that of every other copy. The next claim writes it into the mark. */
export async function supersede(
  platform: Pick<Platform, "database" | "random" | "objects">,
): Promise<Copy> {
  const known = await readDeployment(platform);
  const owner = await readOwner(platform.objects);
  const highest = owner?.deploymentId === known.id ? owner.generation : 0;
  return await renewCopy(platform, known, Math.max(known.generation, highest) + 1);
}

/** Whether the mark is the one that this copy wrote last; `claimStore` says what else it is. */
export async function isMarked(context: Context, own: Copy): Promise<boolean> {
  return isCurrent(await readOwner(context.platform.objects), own, context);
}

function isCurrent(owner: StoreOwner | null, own: Copy, { settings }: Context): boolean {
  return (
    owner?.deploymentId === own.id &&
    owner.generation === own.generation &&
    owner.instance === own.instance &&
    owner.publicUrl === settings.PUBLIC_URL
  );
}

function isOurs(owner: StoreOwner, { id, generation, instance, formerInstances }: Copy): boolean {
  return (
    owner.deploymentId === id &&
    (owner.generation < generation ||
      (owner.generation === generation &&
        [null, instance, ...formerInstances].includes(owner.instance)))
  );
}

function requireOurs({ name }: ObjectStore, owner: StoreOwner | null, own: Copy): void {
  if (owner === null)
    throw new StoreError(
      "unmarked",
      `The store ${name} is not this Vodkeep's: it has no ${OWNER_KEY}. Mount its disk, or correct ` +
        "OBJECT_STORE; work then goes on by itself",
    );
  if (isOurs(owner, own)) return;
  throw new StoreError(
    "foreign",
    owner.deploymentId === own.id
      ? `The store ${name} is used by another copy of this Vodkeep, at ${owner.publicUrl} since ${owner.since}: ` +
          "one that was restored, copied or started later. This one writes and deletes nothing more. Shut " +
          "it down; or if it is the right one, stop the other and run `vodkeep takeover` here"
      : `The store ${name} belongs to the Vodkeep at ${owner.publicUrl}, since ${owner.since}. Give this one a folder ` +
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
      generation: 0,
      instance: null,
    }
  );
}

async function writeOwner(
  { platform, settings }: Context,
  { id: deploymentId, generation, instance }: Copy,
  since: string | null,
): Promise<void> {
  const owner: StoreOwner = {
    deploymentId,
    generation,
    instance,
    publicUrl: settings.PUBLIC_URL,
    since: since ?? new Date(platform.clock.now()).toISOString(),
  };
  await platform.objects.put(OWNER_KEY, new TextEncoder().encode(`${JSON.stringify(owner)}\n`), {
    contentType: "application/json",
  });
}
