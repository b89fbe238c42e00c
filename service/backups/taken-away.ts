import * as z from "zod/mini";
import { userIdSchema } from "#contract/ids.ts";
import { endTokens } from "#service/auth/token-access.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { eraseAgain } from "#service/users/erase-user.ts";
import { IS_ERASED } from "#service/storage/stored-name.ts";

/*
 * What was taken away since a backup must not come back with it: tokens, rights, consents, names.
 */

type Rows = Pick<Database, "all">;

/** Both databases have the newest schema. */
type Databases = { readonly restored: Database; readonly replaced: Rows };

/**
 * Takes it away in the restored database, too. Returns how much of each, by its name. Repeating is
 * safe.
 */
export async function carryOver(
  { restored, replaced }: Databases,
  nowMs: number,
): Promise<ReadonlyMap<string, number>> {
  const list = async (rows: Statement) =>
    sql`json_each(${JSON.stringify(await replaced.all(rows))})`;
  const tokens = await list(sql`SELECT id FROM api_tokens`);
  const users = await list(sql`SELECT id, banned_at, ban_reason, permissions FROM users`);
  const withdrawals = await list(sql`SELECT owner_id, withdrawn_at FROM consents
    WHERE withdrawn_at IS NOT NULL`);
  const confirmations = await list(sql`SELECT owner_id, confirmed_by FROM rights_confirmations`);
  const chatters = await list(sql`SELECT user_id, erased_at FROM erased_chatters`);
  const now = sql`(SELECT value ->> 'id' AS id, value ->> 'banned_at' AS banned_at,
    value ->> 'ban_reason' AS ban_reason, value ->> 'permissions' AS permissions FROM ${users}) AS now`;
  const held = sql`SELECT value FROM json_each(now.permissions)`;
  const changes = {
    "API tokens": sql`DELETE FROM api_tokens
      WHERE id NOT IN (SELECT value ->> 'id' FROM ${tokens})`,
    "users' permissions": sql`UPDATE users SET version = version + 1, permissions = (
        SELECT json_group_array(value) FROM json_each(users.permissions) WHERE value IN (${held}))
      FROM ${now} WHERE now.id = users.id AND EXISTS (
        SELECT 1 FROM json_each(users.permissions) WHERE value NOT IN (${held}))`,
    bans: sql`UPDATE users SET version = version + 1, banned_at = now.banned_at,
        ban_reason = now.ban_reason
      FROM ${now} WHERE now.id = users.id AND now.banned_at IS NOT NULL AND users.banned_at IS NULL`,
    consents: sql`UPDATE consents SET withdrawn_at = now.value ->> 'withdrawn_at'
      FROM ${withdrawals} AS now WHERE now.value ->> 'owner_id' = owner_id AND withdrawn_at IS NULL
        AND agreed_at <= now.value ->> 'withdrawn_at'`,
    "confirmations of rights": sql`DELETE FROM rights_confirmations
      WHERE (owner_id, confirmed_by) NOT IN (
        SELECT value ->> 'owner_id', value ->> 'confirmed_by' FROM ${confirmations})`,
    "names in chats": sql`INSERT OR IGNORE INTO erased_chatters (user_id, erased_at)
      SELECT value ->> 'user_id', value ->> 'erased_at' FROM ${chatters}`,
  };
  const results = await restored.batch([...Object.values(changes), endTokens]);
  const counts = new Map(
    Object.keys(changes).map((name, index) => [name, results[index]?.changes ?? 0]),
  );
  const erased = sql`SELECT id FROM users WHERE ${IS_ERASED}`;
  const [before, after] = [await idsOf(restored, erased), await idsOf(replaced, erased)];
  const forgotten = after.filter((id) => !before.includes(id));
  for (const id of forgotten) await restored.batch(eraseAgain(id, nowMs));
  return counts.set("people's names", forgotten.length);
}

async function idsOf(database: Rows, ids: Statement) {
  return z
    .array(z.object({ id: userIdSchema }))
    .parse(await database.all(ids))
    .map(({ id }) => id);
}

/**
 * Without a database to compare with, everything that may have been taken away is: all tokens, and
 * all consents until their owners agree again or somebody confirms the rights. Returns the numbers.
 */
export async function takeAll(restored: Database, nowMs: number) {
  const [tokens, consents] = await restored.batch([
    sql`DELETE FROM api_tokens`,
    sql`UPDATE consents SET withdrawn_at = ${nowMs} WHERE withdrawn_at IS NULL`,
    // A withdrawal ends them, too.
    sql`DELETE FROM rights_confirmations WHERE owner_id IN (SELECT owner_id FROM consents)`,
  ]);
  return { tokens: tokens?.changes ?? 0, consents: consents?.changes ?? 0 };
}
