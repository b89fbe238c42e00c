import type { Database } from "#service/ports/database.ts";
import { toHex } from "#service/secrets/hex.ts";
import { SettingsError } from "#service/settings.ts";
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
import { migrationDigests } from "./migrations/0019-migration-digests.ts";
import { alertLimits } from "./migrations/0020-alert-limits.ts";
import { storeStates } from "./migrations/0021-store-states.ts";
import { lostStarts } from "./migrations/0022-lost-starts.ts";
import { verification } from "./migrations/0023-verification.ts";
import { liveBroadcasts } from "./migrations/0024-live-broadcasts.ts";
import { chatErasures } from "./migrations/0025-chat-erasures.ts";
import { fileOrders } from "./migrations/0026-file-orders.ts";
import { rightsConfirmations } from "./migrations/0027-rights-confirmations.ts";
import { dismissals } from "./migrations/0028-dismissals.ts";
import { notificationWindows } from "./migrations/0029-notification-windows.ts";
import { auditTimes } from "./migrations/0030-audit-times.ts";
import { channels } from "./migrations/0031-channels.ts";
import { vods } from "./migrations/0032-vods.ts";
import { queueOrder } from "./migrations/0033-queue-order.ts";
import { trash } from "./migrations/0034-trash.ts";
import { apiTokens } from "./migrations/0035-api-tokens.ts";
import { webhooks } from "./migrations/0036-webhooks.ts";
import { stepVersions } from "./migrations/0037-step-versions.ts";
import { backups } from "./migrations/0038-backups.ts";
import { auditNames } from "./migrations/0039-audit-names.ts";
import { chatDates } from "./migrations/0046-chat-dates.ts";
import { VERSION } from "../version.ts";
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
  migrationDigests,
  alertLimits,
  storeStates,
  lostStarts,
  verification,
  liveBroadcasts,
  chatErasures,
  fileOrders,
  rightsConfirmations,
  dismissals,
  notificationWindows,
  auditTimes,
  channels,
  vods,
  queueOrder,
  trash,
  apiTokens,
  webhooks,
  stepVersions,
  backups,
  auditNames,
  chatDates,
];

/**
 * Brings the schema up to date. Idempotent, also after an interrupted or a concurrent run. Applied
 * steps without a digest, of databases from before digests were recorded, are trusted once.
 *
 * All steps that a database lacks are one transaction: if one fails, the version that wrote the
 * database can still start on it. Only a new database gets them one by one.
 *
 * @param beforeUpgrade is told the first step before a database that is not new is changed. If it
 *   throws, nothing is changed.
 * @param all the steps of the version that starts
 * @throws {SettingsError} when the database has applied steps that this code does not have, or has
 *   in another form. Nothing is changed then.
 */
export async function migrate(
  database: Pick<Database, "all" | "run" | "batch">,
  nowMs: number,
  beforeUpgrade: (firstStep: string) => void = () => undefined,
  all = MIGRATIONS,
): Promise<void> {
  await database.run(
    sql`CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY, applied_at INTEGER NOT NULL)`,
  );
  const { applied, digests } = await requireKnownSteps(database, all);
  const lacking = all.filter(({ name }) => !applied.has(name));
  const [first] = lacking;
  if (first !== undefined && applied.size > 0) beforeUpgrade(first.name);
  for (const steps of applied.size === 0 ? lacking.map((step) => [step]) : [lacking]) {
    if (steps.length === 0) continue;
    try {
      await database.batch(
        steps.flatMap(({ name, statements }) => [
          ...statements.map((text) => ({ sql: text, values: [] })),
          sql`INSERT INTO migrations (name, applied_at) VALUES (${name}, ${nowMs})`,
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
  if (all.every(({ name }) => applied.get(name)?.digest === digests.get(name))) return;
  const recorded = JSON.stringify(Object.fromEntries(digests));
  await database.run(sql`UPDATE migrations
    SET version = ${VERSION}, digest = (SELECT value FROM json_each(${recorded}) WHERE key = name)
    WHERE digest IS NULL`);
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

/** The SHA-256 of each step by its name, shortened to 64 bits. Comments and layout may change. */
export async function digestsOfMigrations(all = MIGRATIONS): Promise<ReadonlyMap<string, string>> {
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
    .filter(([name, { digest }]) => digest !== null && digest !== (digests.get(name) ?? digest))
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

/** Null where nothing is recorded. */
type AppliedStep = { readonly digest: unknown; readonly version: unknown };

async function readApplied(
  database: Pick<Database, "all">,
): Promise<ReadonlyMap<string, AppliedStep>> {
  // The columns `digest` and `version` themselves are added by steps.
  const rows = await database.all(sql`SELECT * FROM migrations`);
  return new Map(
    rows.map(({ name, digest, version }) => [
      String(name),
      { digest: digest ?? null, version: version ?? null },
    ]),
  );
}

/** Whether the schema is as new as this code, or newer. */
export async function isMigrated(database: Pick<Database, "all">): Promise<boolean> {
  const names = JSON.stringify(MIGRATIONS.map(({ name }) => name));
  const [applied] = await database.all(
    sql`SELECT count(*) AS n FROM migrations WHERE name IN (SELECT value FROM json_each(${names}))`,
  );
  return applied?.n === MIGRATIONS.length;
}
