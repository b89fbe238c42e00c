import type { ServiceContext } from "#service/context.ts";
import { abortKey, planRemoval } from "#service/storage/store-removals.ts";
import { sql } from "#service/db/sql.ts";
import { OBJECT_PREFIXES } from "./key-owner.ts";

/** No request that could still record one lives this long. */
const STRAY_AFTER_MS = 24 * 3_600_000;

/**
 * Plans the removal of multipart uploads that no upload owns, left by a process that died before it
 * recorded them. Every other object is recorded, or its removal planned, before it is written.
 *
 * Stores that cannot list multipart uploads remove them after a week
 * (developers.cloudflare.com/r2/objects/multipart-objects).
 */
export async function removeStrayMultiparts(context: ServiceContext): Promise<void> {
  const { database, objects, clock } = context.platform;
  const nowMs = clock.now();
  const old = ((await objects.listMultiparts()) ?? []).filter(
    ({ key, startedAt }) =>
      OBJECT_PREFIXES.some((prefix) => key.startsWith(prefix)) &&
      startedAt.getTime() < nowMs - STRAY_AFTER_MS,
  );
  for (const multipart of old) {
    const { changes } = await database.run(
      planRemoval(
        multipart,
        nowMs,
        sql`NOT EXISTS (SELECT 1 FROM uploads WHERE multipart_id = ${multipart.multipartId})
          AND NOT EXISTS (SELECT 1 FROM jobs
            WHERE kind = 'abort' AND key = ${abortKey(multipart.key, multipart.multipartId)})`,
      ),
    );
    if (changes > 0)
      context.log.info("An unfinished upload without an owner will be removed", {
        key: multipart.key,
      });
  }
}
