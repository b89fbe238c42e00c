import type { ServiceContext } from "#service/context.ts";
import { planRemoval } from "#service/archiver/store-removals.ts";
import { sql } from "#service/db/sql.ts";
import { ownsStore } from "#service/store/store-owner.ts";
import { TAIL_PREFIX } from "#service/uploads/manual-keys.ts";
import { OBJECT_PREFIXES } from "./key-owner.ts";

/** No request that could still record one lives this long. */
const UNOWNED_AFTER_MS = 24 * 3_600_000;

/**
 * Plans the removal of multipart uploads that no upload owns, left by a process that died before it
 * recorded them. The lock on DATA_DIR excludes other processes, so everything there that is older
 * than this process has no owner. A bucket may be used by another deployment: nothing is removed
 * from a bucket that this deployment does not own, nor anything younger than a day.
 *
 * Stores that cannot list multipart uploads remove them after a week
 * (developers.cloudflare.com/r2/objects/multipart-objects).
 */
export async function removeUnownedMultiparts(context: ServiceContext): Promise<void> {
  const { database, objects, clock, runtime } = context.platform;
  const nowMs = clock.now();
  const isAlone = runtime.isSoleWriter && !objects.isShared;
  const beforeMs = isAlone ? runtime.startedAt.getTime() : nowMs - UNOWNED_AFTER_MS;
  const old = ((await objects.listMultiparts()) ?? []).filter(
    ({ key, startedAt }) =>
      OBJECT_PREFIXES.some((prefix) => key.startsWith(prefix)) && startedAt.getTime() < beforeMs,
  );
  if (old.length === 0 || !(await ownsStore(context))) return;
  for (const multipart of old) {
    const { changes } = await database.run(
      planRemoval(
        multipart,
        nowMs,
        sql`NOT EXISTS (SELECT 1 FROM uploads WHERE multipart_id = ${multipart.multipartId})
          AND NOT EXISTS (SELECT 1 FROM store_removals
            WHERE multipart_id = ${multipart.multipartId})`,
      ),
    );
    if (changes > 0)
      context.log.info("An unfinished upload without an owner will be removed", {
        key: multipart.key,
      });
  }
}

/** The same for pieces of manual uploads that were stored but never recorded. */
export async function removeUnownedTails(context: ServiceContext): Promise<void> {
  const { database, objects, clock } = context.platform;
  if (!(await ownsStore(context))) return;
  const nowMs = clock.now();
  let cursor: string | null = null;
  do {
    const page = await objects.list({
      prefix: TAIL_PREFIX,
      ...(cursor === null ? {} : { cursor }),
    });
    for (const { key, lastModifiedAt } of page.objects) {
      if (nowMs - lastModifiedAt.getTime() < UNOWNED_AFTER_MS) continue;
      await database.run(
        planRemoval(
          { key, multipartId: null },
          nowMs,
          sql`NOT EXISTS (SELECT 1 FROM upload_tails WHERE object_key = ${key})
            AND NOT EXISTS (SELECT 1 FROM staged_pieces WHERE object_key = ${key})
            AND NOT EXISTS (SELECT 1 FROM store_removals WHERE object_key = ${key})`,
        ),
      );
    }
    cursor = page.cursor;
  } while (cursor !== null);
}
