import { sql } from "#service/db/sql.ts";
import type { JobHandler } from "#service/jobs/job-runner.ts";
import { end, type JobPlatform, keep } from "#service/jobs/jobs.ts";

/** Indexing one takes half a millisecond. */
const UPLOADS_AT_ONCE = 50;

/**
 * The search index of an upload contains its owner's name. After the owner is renamed, which plans the
 * job under their id (storage/stored-name.ts), their uploads are reindexed in small batches, so that an
 * owner of many does not block other writes. Until then they are found by the old name.
 */
export function ownerIndexJob({ platform }: { readonly platform: JobPlatform }): JobHandler {
  const { database } = platform;
  return {
    async run(job, signal) {
      let last = 0;
      for (;;) {
        signal.throwIfAborted();
        const rows = await database.all(sql`
          SELECT seq FROM uploads WHERE owner_id = ${job.key} AND seq > ${last}
          ORDER BY seq LIMIT ${UPLOADS_AT_ONCE}`);
        const numbers = rows.map((row) => Number(row.seq));
        if (numbers.length === 0) break;
        last = Math.max(...numbers);
        const these = sql`(SELECT value FROM json_each(${JSON.stringify(numbers)}))`;
        await keep(platform, job, [
          sql`DELETE FROM upload_search WHERE rowid IN ${these}`,
          sql`INSERT INTO upload_search (rowid, filename, title, owner, error)
            SELECT seq, filename, title, owner, error FROM upload_texts WHERE seq IN ${these}`,
        ]);
      }
      await end(platform, job);
    },
  };
}
