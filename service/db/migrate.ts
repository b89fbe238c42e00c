import type { Database } from "#service/ports/database.ts";
import type { Migration } from "./migration.ts";
import { accounts } from "./migrations/0001-accounts.ts";
import { uploads } from "./migrations/0002-uploads.ts";
import { files } from "./migrations/0003-files.ts";
import { operation } from "./migrations/0004-operation.ts";
import { notifications } from "./migrations/0005-notifications.ts";
import { lists } from "./migrations/0006-lists.ts";
import { systemHistory } from "./migrations/0007-system-history.ts";
import { fewerTables } from "./migrations/0008-fewer-tables.ts";
import { quality } from "./migrations/0009-quality.ts";
import { chats } from "./migrations/0010-chats.ts";
import { recordedAt } from "./migrations/0011-recorded-at.ts";
import { sourceChecks } from "./migrations/0012-source-checks.ts";
import { consents } from "./migrations/0013-consents.ts";
import { unsealedParts } from "./migrations/0014-unsealed-parts.ts";
import { unaskedOwners } from "./migrations/0015-unasked-owners.ts";
import { lateExtras } from "./migrations/0016-late-extras.ts";
import { chatTails } from "./migrations/0018-chat-tails.ts";
import { twitchFingerprint } from "./migrations/0017-twitch-fingerprint.ts";
import { sql } from "./sql.ts";

/** In order of application; append only: databases exist that have applied each step as it is. */
export const MIGRATIONS: readonly Migration[] = [
  accounts,
  uploads,
  files,
  operation,
  notifications,
  lists,
  systemHistory,
  fewerTables,
  quality,
  chats,
  recordedAt,
  sourceChecks,
  consents,
  unsealedParts,
  unaskedOwners,
  lateExtras,
  twitchFingerprint,
  chatTails,
];

/** Brings the schema up to date. Idempotent, also after an interrupted or a concurrent run. */
export async function migrate(
  database: Pick<Database, "all" | "run" | "batch">,
  nowMs: number,
): Promise<void> {
  await database.run(
    sql`CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL)`,
  );
  const applied = await appliedNames(database);
  for (const { name, statements } of MIGRATIONS) {
    if (applied.has(name)) continue;
    try {
      await database.batch([
        ...statements.map((text) => ({ sql: text, values: [] })),
        sql`INSERT INTO migrations (name, applied_at) VALUES (${name}, ${nowMs})`,
      ]);
    } catch (error) {
      // Another process that starts at the same time may have applied it.
      if (!(await appliedNames(database)).has(name)) throw error;
    }
  }
}

async function appliedNames(database: Pick<Database, "all">): Promise<ReadonlySet<unknown>> {
  const rows = await database.all(sql`SELECT name FROM migrations`);
  return new Set(rows.map(({ name }) => name));
}

/** Whether the schema is as new as this code, or newer. */
export async function isMigrated(database: Pick<Database, "all">): Promise<boolean> {
  const names = JSON.stringify(MIGRATIONS.map(({ name }) => name));
  const [applied] = await database.all(
    sql`SELECT count(*) AS n FROM migrations WHERE name IN (SELECT value FROM json_each(${names}))`,
  );
  return applied?.n === MIGRATIONS.length;
}
