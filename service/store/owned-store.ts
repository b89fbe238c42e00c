import type { ServiceContext } from "#service/context.ts";
import { type ObjectStore, replaceOperations, StoreError } from "#service/ports/object-store.ts";
import type { Copy } from "./deployment.ts";
import { claimStore, isMarked } from "./store-owner.ts";

/** For this long after the mark was seen, parts need no further look at it. */
const SEEN_FOR_MS = 5_000;

/**
 * The store as long as it is ours (the states are in store-owner.ts):
 * - A write needs an owner mark that is read for it: another copy of this deployment may have gone on, and
 *   nothing brings back what it still lists. A part needs one that was seen within {@link SEEN_FOR_MS}.
 * - An answer that something is absent, was deleted or is stored for good needs a mark that was read
 *   after it. A part does not: no other store knows the multipart upload.
 *
 * Otherwise they fail as `unmarked` or `foreign`, or as the read of the mark fails. Objects that are
 * there can be read from any store. The mark itself is in the store of `context`, and is written
 * even if `objects` has no room.
 */
export function createOwnedStore(
  objects: ObjectStore,
  context: Pick<ServiceContext, "platform" | "settings">,
): ObjectStore {
  const { clock } = context.platform;
  let own: Copy | null = null;
  let isStart = true;
  let seenAtMs = -Infinity;
  let looking: Promise<void> | null = null;

  async function look(): Promise<void> {
    const startedAtMs = clock.monotonic();
    try {
      if (own === null || !(await isMarked(context, own)))
        own = await claimStore(context, { isStart });
      isStart = false;
    } catch (error) {
      // The database is asked again next time: an operator may have changed the claim.
      own = null;
      throw error;
    }
    seenAtMs = Math.max(seenAtMs, startedAtMs);
  }

  async function writePart<T>(run: () => Promise<T>): Promise<T> {
    if (clock.monotonic() - seenAtMs >= SEEN_FOR_MS)
      await (looking ??= look().finally(() => (looking = null)));
    try {
      return await run();
    } catch (error) {
      if (error instanceof StoreError && error.kind === "no_such_upload") await look();
      throw error;
    }
  }

  async function writeForGood<T>(run: () => Promise<T>): Promise<T> {
    await look();
    const result = await writePart(run);
    await look();
    return result;
  }

  async function read<T>(run: () => Promise<T | null>): Promise<T | null> {
    const found = await run();
    if (found === null) await look();
    return found;
  }

  return replaceOperations(objects, {
    put: (...args) => writeForGood(() => objects.put(...args)),
    get: (...args) => read(() => objects.get(...args)),
    head: (...args) => read(() => objects.head(...args)),
    async list(options) {
      const page = await objects.list(options);
      await look();
      return page;
    },
    delete: (...args) => writeForGood(() => objects.delete(...args)),
    createMultipart: (...args) => writeForGood(() => objects.createMultipart(...args)),
    uploadPart: (...args) => writePart(() => objects.uploadPart(...args)),
    completeMultipart: (...args) => writeForGood(() => objects.completeMultipart(...args)),
    abortMultipart: (...args) => writeForGood(() => objects.abortMultipart(...args)),
    async listMultiparts() {
      const found = await objects.listMultiparts();
      await look();
      return found;
    },
  });
}
