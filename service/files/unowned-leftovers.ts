import type { ServiceContext } from "#service/context.ts";
import { planRemoval } from "#service/archiver/store-removals.ts";
import { sql } from "#service/db/sql.ts";
import { TAIL_PREFIX } from "#service/uploads/manual-keys.ts";
import { OBJECT_PREFIXES } from "./key-owner.ts";

/** No request that could still put one on record lives that long. */
const UNOWNED_AFTER_MS = 24 * 3_600_000;

/**
 * Plans the removal of unfinished multipart uploads that no upload owns. Stores that cannot list
 * them drop them by themselves after a week (developers.cloudflare.com/r2/objects/multipart-objects).
 */
export async function removeUnownedMultiparts({ platform, log }: ServiceContext): Promise<void> {
  const { database, objects, clock } = platform;
  const nowMs = clock.now();
  for (const multipart of (await objects.listMultiparts()) ?? []) {
    const { key, multipartId, startedAt } = multipart;
    const isOurs = OBJECT_PREFIXES.some((prefix) => key.startsWith(prefix));
    if (!isOurs || nowMs - startedAt.getTime() < UNOWNED_AFTER_MS) continue;
    const { changes } = await database.run(
      planRemoval(
        multipart,
        nowMs,
        sql`NOT EXISTS (SELECT 1 FROM uploads WHERE multipart_id = ${multipartId})
          AND NOT EXISTS (SELECT 1 FROM store_removals WHERE multipart_id = ${multipartId})`,
      ),
    );
    if (changes > 0) log.info("An unfinished upload without an owner will be removed", { key });
  }
}

/** The same for pieces of manual uploads: a process can die between storing one and its record. */
export async function removeUnownedTails({ platform }: ServiceContext): Promise<void> {
  const { database, objects, clock } = platform;
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
            AND NOT EXISTS (SELECT 1 FROM store_removals WHERE object_key = ${key})`,
        ),
      );
    }
    cursor = page.cursor;
  } while (cursor !== null);
}
