import type { Database } from "#service/ports/database.ts";
import { toHex } from "#service/secrets/hex.ts";
import { SettingsError } from "#service/settings.ts";
import type { Migration } from "./migration.ts";
import { audit } from "./schema/audit.ts";
import { channels } from "./schema/channels.ts";
import { chats } from "./schema/chats.ts";
import { consents } from "./schema/consents.ts";
import { costs } from "./schema/costs.ts";
import { files } from "./schema/files.ts";
import { jobs } from "./schema/jobs.ts";
import { library } from "./schema/library.ts";
import { notifications } from "./schema/notifications.ts";
import { system } from "./schema/system.ts";
import { uploads } from "./schema/uploads.ts";
import { users } from "./schema/users.ts";
import { VERSION } from "../version.ts";
import { sql } from "./sql.ts";

/**
 * In order of application. The schema of each feature is one step until the first release; from then
 * on append only: databases exist that have applied each step as it is.
 */
export const MIGRATIONS: readonly Migration[] = [
  users,
  uploads,
  files,
  chats,
  consents,
  audit,
  system,
  costs,
  notifications,
  channels,
  jobs,
  library,
];

/**
 * Brings the schema up to date. Idempotent, also after an interrupted or a concurrent run.
 *
 * All steps that a database lacks are one transaction: if one fails, the version that wrote the
 * database can still start on it. Only a new database gets them one by one.
 *
 * @param beforeUpgrade is told the first step and their number before a database that is not new is changed. If it
 *   throws, nothing is changed.
 * @param all the steps of the version that starts
 * @returns whether a database that is not new was upgraded
 * @throws {SettingsError} when the database has applied steps that this code does not have, or has
 *   in another form. Nothing is changed then.
 */
export async function migrate(
  database: Pick<Database, "all" | "run" | "batch">,
  nowMs: number,
  beforeUpgrade: (firstStep: string, stepCount: number) => void = () => undefined,
  all = MIGRATIONS,
): Promise<boolean> {
  await database.run(
    sql`CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL,
      digest TEXT, version TEXT, lacks_backfill INTEGER NOT NULL DEFAULT 0)`,
  );
  const { applied, digests } = await requireKnownSteps(database, all);
  const lacking = all.filter(({ name }) => !applied.has(name));
  const [first] = lacking;
  const isUpgrade = first !== undefined && applied.size > 0;
  if (isUpgrade) beforeUpgrade(first.name, lacking.length);
  for (const steps of applied.size === 0 ? lacking.map((step) => [step]) : [lacking]) {
    if (steps.length === 0) continue;
    try {
      await database.batch(
        steps.flatMap(({ name, statements, backfill }) => [
          ...statements.map((text) => ({ sql: text, values: [] })),
          sql`INSERT INTO migrations (name, applied_at, digest, version, lacks_backfill)
            VALUES (${name}, ${nowMs}, ${digests.get(name) ?? null}, ${VERSION},
              ${backfill === undefined ? 0 : 1})`,
        ]),
      );
    } catch (error) {
      // Another process that starts at the same time may have applied some of them.
      const now = await readApplied(database);
      if (!steps.some(({ name }) => now.has(name))) throw error;
      if (!steps.every(({ name }) => now.has(name)))
        return migrate(database, nowMs, beforeUpgrade, all);
    }
  }
  return isUpgrade;
}

/**
 * Reads which steps are applied; changes nothing.
 * @throws {SettingsError} as `migrate` does
 */
export async function requireKnownSteps(database: Pick<Database, "all">, all = MIGRATIONS) {
  const digests = await digestsOfMigrations(all);
  const applied = await readApplied(database);
  refuseOthers(applied, digests);
  return { applied, digests };
}

/**
 * The SHA-256 of each step by its name, shortened to 64 bits. Comments and layout may change, and so
 * may a backfill: a later version can correct one that cannot end.
 */
async function digestsOfMigrations(all = MIGRATIONS): Promise<ReadonlyMap<string, string>> {
  const digests = all.map(async ({ name, statements }) => {
    const text = statements.join(";").replaceAll(/--.*$/gm, "").replaceAll(/\s+/g, " ");
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    return [name, toHex(new Uint8Array(digest)).slice(0, 16)] as const;
  });
  return new Map(await Promise.all(digests));
}

/** Schemas of different versions must never be mixed: data would be misread. */
function refuseOthers(
  applied: ReadonlyMap<string, AppliedStep>,
  digests: ReadonlyMap<string, string>,
): void {
  const unknown = [...applied.keys()].filter((name) => !digests.has(name)).sort();
  const edited = [...applied]
    .filter(([name, { digest }]) => digest !== (digests.get(name) ?? digest))
    .map(([name]) => name);
  const [first = edited[0]] = unknown;
  if (first === undefined) return;
  const isNewer = edited.length === 0 && [...digests.keys()].every((name) => applied.has(name));
  const last = unknown.at(-1) ?? "";
  const version = applied.get(last)?.version;
  const needed = typeof version === "string" ? `Vodkeep ${version} or later` : "a version";
  throw new SettingsError(
    isNewer
      ? `The database was written by a newer version of Vodkeep than ${VERSION}: start ${needed} that has the migration ${last}, or restore a backup from before the upgrade.`
      : `The database was written by another version of Vodkeep, whose migration ${first} differs from this one: start that version, or use an empty database.`,
  );
}

type AppliedStep = { readonly digest: unknown; readonly version: unknown };

async function readApplied(
  database: Pick<Database, "all">,
): Promise<ReadonlyMap<string, AppliedStep>> {
  const rows = await database.all(sql`SELECT * FROM migrations`);
  return new Map(rows.map(({ name, digest, version }) => [String(name), { digest, version }]));
}

/** Whether the schema is as new as this code, or newer. */
export async function isMigrated(database: Pick<Database, "all">): Promise<boolean> {
  const names = JSON.stringify(MIGRATIONS.map(({ name }) => name));
  const [applied] = await database.all(
    sql`SELECT count(*) AS n FROM migrations WHERE name IN (SELECT value FROM json_each(${names}))`,
  );
  return applied?.n === MIGRATIONS.length;
}
