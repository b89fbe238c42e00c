import type { Database } from "#service/ports/database.ts";
import type { Migration, NewColumn } from "./migration.ts";
import { core } from "./migrations/0001-core.ts";
import { lists } from "./migrations/0002-lists.ts";
import { operate } from "./migrations/0003-operate.ts";
import { costs } from "./migrations/0004-costs.ts";
import { notifications } from "./migrations/0005-notifications.ts";
import { storage } from "./migrations/0006-storage.ts";
import { savedViews } from "./migrations/0007-saved-views.ts";
import { listVersions } from "./migrations/0008-list-versions.ts";
import { unreadableFiles } from "./migrations/0009-unreadable-files.ts";
import { ownerOrders } from "./migrations/0010-owner-orders.ts";
import { auditOrders } from "./migrations/0011-audit-orders.ts";
import { eventAuthors } from "./migrations/0012-event-authors.ts";
import { boundedAudit } from "./migrations/0013-bounded-audit.ts";
import { deployment } from "./migrations/0018-deployment.ts";
import { openUploadsByOwner } from "./migrations/0019-open-uploads-by-owner.ts";
import { loginStates } from "./migrations/0015-login-states.ts";
import { sessionClients } from "./migrations/0016-session-clients.ts";
import { stagedUploads } from "./migrations/0021-staged-uploads.ts";
import { sql } from "./sql.ts";

/** In order of application; append only. */
const MIGRATIONS: readonly Migration[] = [
  core,
  lists,
  operate,
  costs,
  notifications,
  storage,
  savedViews,
  listVersions,
  unreadableFiles,
  ownerOrders,
  auditOrders,
  eventAuthors,
  deployment,
  openUploadsByOwner,
  loginStates,
  sessionClients,
  stagedUploads,
  boundedAudit,
];

/** Brings the schema up to date. Idempotent, also after an interrupted run. */
export async function migrate(
  database: Pick<Database, "all" | "run">,
  nowMs: number,
): Promise<void> {
  await database.run(
    sql`CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL)`,
  );
  const applied = new Set(
    (await database.all(sql`SELECT name FROM migrations`)).map((row) => row.name),
  );
  for (const { name, columns = [], statements } of MIGRATIONS) {
    if (applied.has(name)) continue;
    for (const column of columns) await addColumn(database, column);
    for (const text of statements) await database.run({ sql: text, values: [] });
    await database.run(sql`INSERT INTO migrations (name, applied_at) VALUES (${name}, ${nowMs})`);
  }
}

async function addColumn(
  database: Pick<Database, "all" | "run">,
  { table, name, definition }: NewColumn,
): Promise<void> {
  const found = await database.all(
    sql`SELECT 1 FROM pragma_table_info(${table}) WHERE name = ${name}`,
  );
  if (found.length === 0)
    await database.run({
      sql: `ALTER TABLE ${table} ADD COLUMN ${name} ${definition}`,
      values: [],
    });
}

/** Whether the schema is as new as this code, or newer. */
export async function isMigrated(database: Pick<Database, "all">): Promise<boolean> {
  const names = JSON.stringify(MIGRATIONS.map(({ name }) => name));
  const [applied] = await database.all(
    sql`SELECT count(*) AS n FROM migrations WHERE name IN (SELECT value FROM json_each(${names}))`,
  );
  return applied?.n === MIGRATIONS.length;
}
