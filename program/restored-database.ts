import { existsSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { openSqliteDatabase } from "#hosts/node/database.ts";
import { createExecute } from "#hosts/node/execute.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { systemRandom } from "#hosts/ports/random.ts";
import { replaceKey } from "#service/audit/key-replacement.ts";
import { carryOver, takeAll } from "#service/backups/taken-away.ts";
import { auditEntry } from "#service/changes/audit-entry.ts";
import { migrate } from "#service/db/migrate.ts";
import { sql } from "#service/db/sql.ts";
import { CommandError, EXIT_CODES } from "./exit-codes.ts";
import type { Database } from "#service/ports/database.ts";
import type { ObjectStore } from "#service/ports/object-store.ts";
import { supersede } from "#service/store/store-owner.ts";

export type Rows = Pick<Database, "all">;

/**
 * Prepares the database of a backup, the file `fresh`, for the place of the database `present`: with
 * the newest schema, without sessions, and without what was taken away since. `newKey` is the secret key
 * it goes on with, if it was sealed with another. Returns what an operator has to know, as sentences.
 *
 * @throws {CommandError} for triggers and views that are not Vodkeep's
 */
export async function prepareDatabase(
  fresh: string,
  present: string,
  {
    name,
    newKey,
    objects,
  }: { readonly name: string; readonly newKey: string | null; readonly objects: ObjectStore },
): Promise<readonly string[]> {
  const database = openSqliteDatabase(fresh);
  const nowMs = systemClock.now();
  try {
    await migrate(database, nowMs);
    await requireOwnTriggers(database);
    await database.run(sql`DELETE FROM sessions`);
    const said = await takeAway(database, present, nowMs);
    await database.run(
      auditEntry({
        atMs: nowMs,
        actorId: null,
        action: "database.restore",
        after: { backup: name, takenAway: said },
      }),
    );
    // Above that of the database it replaces, which may be alive on another machine.
    await supersede({ database, random: systemRandom, objects });
    if (newKey !== null) await replaceKey(database, newKey, { cause: "restore", atMs: nowMs });
    return said;
  } finally {
    await database.close();
  }
}

/** @throws {CommandError} if others than those of this version would act in the service's name */
async function requireOwnTriggers(restored: Database): Promise<void> {
  const triggers = sql`SELECT name, sql FROM sqlite_schema WHERE type IN ('trigger', 'view')`;
  const own = openSqliteDatabase(":memory:");
  try {
    await migrate(own, 0);
    const known = new Set(
      (await own.all(triggers)).map(({ name, sql: text }) => `${name} ${text}`),
    );
    for (const { name, sql: text } of await restored.all(triggers))
      if (!known.has(`${name} ${text}`))
        throw new CommandError(
          EXIT_CODES.mismatch,
          `Its ${name} is none of Vodkeep's: the file was changed by something else.`,
        );
  } finally {
    await own.close();
  }
}

async function takeAway(
  restored: Database,
  present: string,
  nowMs: number,
): Promise<readonly string[]> {
  try {
    if (!existsSync(present)) throw new Error("there is none");
    return await reading(present, async (replaced) => {
      const ids = [await idOf(restored), await idOf(replaced)];
      if (ids[0] !== ids[1]) throw new Error("it is another deployment's");
      const counts = [...(await carryOver({ restored, replaced }, nowMs))]
        .filter(([, count]) => count > 0)
        .map(([what, count]) => `${what} (${count})`);
      return [
        counts.length === 0
          ? "Nothing that it has was taken away since."
          : `Taken away since, and therefore here, too: ${counts.join(", ")}.`,
      ];
    });
  } catch (error) {
    const { tokens, webhooks, consents } = await takeAll(restored, nowMs);
    return [
      `The present database does not say what was taken away since: ${error instanceof Error ? error.message : String(error)}. Therefore:`,
      `  API tokens: ${tokens} are revoked.`,
      `  Webhooks: ${webhooks} are off until somebody switches them on again.`,
      `  Consents: ${consents} are withdrawn; nothing rests on them until their owners agree again, or somebody confirms the rights.`,
      "  Bans, permissions and erasures: compare Users with an exported audit log before others sign in.",
    ];
  }
}

async function idOf(database: Rows): Promise<unknown> {
  const [row] = await database.all(sql`SELECT deployment_id FROM deployment`);
  return row?.["deployment_id"];
}

/** Calls `work` with the SQLite file, which is not changed. */
export async function reading<Result>(
  path: string,
  work: (database: Rows) => Promise<Result>,
): Promise<Result> {
  const url = pathToFileURL(path);
  // Without a log nobody writes; SQLite would leave an empty one behind.
  if (!existsSync(`${path}-wal`)) url.searchParams.set("immutable", "1");
  const database = new DatabaseSync(url, { readOnly: true });
  try {
    const execute = createExecute(database);
    return await work({ all: async (statement) => execute(statement).rows });
  } finally {
    database.close();
  }
}
