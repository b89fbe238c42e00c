import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";

/**
 * Lets another runner take an upload, or its chat, right before a write of its own runner, once for each different
 * write, and compares all rows before and after it.
 */
export type LeaseThief = {
  /** The database for the runner. */
  readonly database: Database;
  /** Steals before the upload's next write of a kind that was not robbed before, or before `which`. */
  arm(uploadId: string, which?: RegExp): void;
  /** Undefined if there was none since. */
  theft(): Theft | undefined;
};

export type Theft = { readonly write: string; readonly before: string; readonly after: string };

/** Taking a lease, and planning the removal of an object before it is stored, need no lease. */
const NEEDS_NO_LEASE = /^\s*INSERT INTO jobs|epoch = epoch \+ 1/;
const OF_JOBS_WITHOUT_LEASE = /^\s*(INSERT INTO jobs|UPDATE jobs SET epoch = \?)/;

export function createLeaseThief(
  database: Database,
  leased: "upload" | "job" = "upload",
): LeaseThief {
  const needsNone = leased === "job" ? OF_JOBS_WITHOUT_LEASE : NEEDS_NO_LEASE;
  const robbed = new Set<string>();
  let armedFor: string | null = null;
  let wanted: RegExp | undefined;
  let theft: Theft | undefined;

  async function observe<Result>(
    statements: readonly Statement[],
    write: () => Promise<Result>,
  ): Promise<Result> {
    const text = statements.map((statement) => statement.sql).join(";\n");
    const isSpared = wanted === undefined ? robbed.has(text) : !wanted.test(text);
    if (armedFor === null || needsNone.test(text) || isSpared) return await write();
    const uploadId = armedFor;
    armedFor = null;
    robbed.add(text);
    const thefts = {
      upload: sql`UPDATE uploads SET epoch = epoch + 1 WHERE id = ${uploadId}`,
      job: sql`UPDATE jobs SET epoch = epoch + 1 WHERE key = ${uploadId}`,
    };
    await database.run(thefts[leased]);
    const before = await readRows(database);
    try {
      return await write();
    } finally {
      theft = { write: text, before, after: await readRows(database) };
    }
  }

  return {
    database: {
      ...database,
      run: (statement, options) => observe([statement], () => database.run(statement, options)),
      batch: (statements, options) =>
        observe(statements, () => database.batch(statements, options)),
    },
    arm(uploadId, which) {
      armedFor = uploadId;
      wanted = which;
      theft = undefined;
    },
    theft: () => theft,
  };
}

/** All rows that a runner may write. */
async function readRows(database: Database): Promise<string> {
  const tables = [
    sql`SELECT * FROM uploads ORDER BY seq`,
    sql`SELECT * FROM upload_parts ORDER BY upload_id, part_number`,
    sql`SELECT * FROM incomplete_parts ORDER BY object_key`,
    sql`SELECT * FROM chats ORDER BY upload_id`,
    sql`SELECT * FROM chat_pieces ORDER BY upload_id, number`,
    sql`SELECT * FROM files ORDER BY object_key`,
    sql`SELECT * FROM notification_events ORDER BY seq`,
    sql`SELECT * FROM audit ORDER BY seq`,
    sql`SELECT * FROM notification_deliveries ORDER BY seq`,
    sql`SELECT * FROM jobs ORDER BY kind, key`,
    sql`SELECT * FROM channels ORDER BY owner_id`,
    // What rules and dangers say of VODs needs no lease.
    sql`SELECT vod_id, title, last_seen_at, is_growing, missing_lists, next_check_at FROM vods ORDER BY seq`,
    sql`SELECT backup_made_at, backup_tested_at, backup_damaged_at, backup_damage, scrub_bytes,
      verify_before_at FROM deployment`,
    sql`SELECT * FROM health_probes ORDER BY component`,
    sql`SELECT * FROM library_items ORDER BY key`,
    sql`SELECT CAST(id AS TEXT), hex(block) FROM upload_search_data ORDER BY id`,
  ];
  const rows = await Promise.all(tables.map((table) => database.all(table)));
  return rows.flatMap((of) => of.map((row) => JSON.stringify(row))).join("\n");
}
