import * as z from "zod/mini";
import { type UserId, userIdSchema } from "#contract/ids.ts";
import { endTokens } from "#service/auth/token-access.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { eraseAgain } from "#service/users/erase-user.ts";
import { pauseArchives } from "#service/storage/consent-pause.ts";
import { IS_ERASED } from "#service/storage/stored-name.ts";

/*
 * What was taken away since a backup must not come back with it: tokens, rights, consents, names,
 * addresses that are told of events.
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
  const withdrawals = await list(sql`SELECT * FROM consents WHERE withdrawn_at IS NOT NULL`);
  const confirmations = await list(sql`SELECT owner_id, confirmed_by FROM rights_confirmations`);
  const webhooks = await list(sql`SELECT id, format, host, url, secret, enabled FROM webhooks`);
  const chatters = await list(sql`SELECT user_id, erased_at FROM erased_chatters`);
  // Of people whom the backup does not know yet: they may sign in, or a manifest may name them.
  const newcomers = await list(sql`SELECT id, login, display_name, created_at FROM users
    WHERE banned_at IS NOT NULL OR ${IS_ERASED}
      OR id IN (SELECT owner_id FROM consents WHERE withdrawn_at IS NOT NULL)`);
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
    consents: sql`INSERT INTO consents (owner_id, text_version, agreed_at, withdrawn_at)
      SELECT value ->> 'owner_id', value ->> 'text_version', value ->> 'agreed_at',
        value ->> 'withdrawn_at' FROM ${withdrawals} WHERE TRUE
      ON CONFLICT (owner_id) DO UPDATE SET withdrawn_at = excluded.withdrawn_at
        WHERE agreed_at <= excluded.withdrawn_at AND withdrawn_at IS NOT excluded.withdrawn_at`,
    "confirmations of rights": sql`DELETE FROM rights_confirmations
      WHERE (owner_id, confirmed_by) NOT IN (
        SELECT value ->> 'owner_id', value ->> 'confirmed_by' FROM ${confirmations})`,
    webhooks: sql`DELETE FROM webhooks WHERE id NOT IN (SELECT value ->> 'id' FROM ${webhooks})`,
    "webhooks' addresses": sql`UPDATE webhooks SET format = now.value ->> 'format',
        host = now.value ->> 'host', url = now.value ->> 'url', secret = now.value ->> 'secret',
        enabled = enabled AND now.value ->> 'enabled'
      FROM ${webhooks} AS now WHERE now.value ->> 'id' = webhooks.id
        AND (url <> now.value ->> 'url' OR enabled > now.value ->> 'enabled')`,
    "names in chats": sql`INSERT OR IGNORE INTO erased_chatters (user_id, erased_at)
      SELECT value ->> 'user_id', value ->> 'erased_at' FROM ${chatters}`,
  };
  const erased = sql`SELECT id FROM users WHERE ${IS_ERASED}`;
  const inForce = await idsOf(restored, IN_FORCE);
  const [before, after] = [await idsOf(restored, erased), await idsOf(replaced, erased)];
  await restored.run(sql`INSERT OR IGNORE INTO users (id, login, display_name, created_at)
    SELECT value ->> 'id', value ->> 'login', value ->> 'display_name', value ->> 'created_at'
    FROM ${newcomers}`);
  const library = await list(sql`SELECT * FROM library_items`);
  const results = await restored.batch([
    ...Object.values(changes),
    DROPPED,
    endTokens,
    // What is in the library folder now: otherwise a person seems to have edited it since.
    sql`DELETE FROM library_items`,
    sql`INSERT INTO library_items (key, path, made, made_of, problem, tried_at)
      SELECT value ->> 'key', value ->> 'path', value ->> 'made', value ->> 'made_of',
        value ->> 'problem', value ->> 'tried_at' FROM ${library}`,
  ]);
  await pauseWithdrawn(restored, inForce, nowMs);
  const counts = new Map(
    Object.keys(changes).map((name, index) => [name, results[index]?.changes ?? 0]),
  );
  const forgotten = after.filter((id) => !before.includes(id));
  for (const id of forgotten) await restored.batch(eraseAgain(id, nowMs));
  return counts.set("people's names", forgotten.length);
}

/** Consents in force, by their owners. */
const IN_FORCE = sql`SELECT owner_id AS id FROM consents WHERE withdrawn_at IS NULL`;

/** What waits for webhooks that were removed. */
const DROPPED = sql`DELETE FROM notification_deliveries
  WHERE channel = 'webhook' AND receiver NOT IN (SELECT id FROM webhooks)`;

/** Archives wait with the reason. `before`: whose consent was in force. */
async function pauseWithdrawn(restored: Database, before: readonly UserId[], nowMs: number) {
  const now = await idsOf(restored, IN_FORCE);
  for (const id of before.filter((owner) => !now.includes(owner)))
    await restored.batch(pauseArchives(id, nowMs));
}

async function idsOf(database: Rows, ids: Statement) {
  return z
    .array(z.object({ id: userIdSchema }))
    .parse(await database.all(ids))
    .map(({ id }) => id);
}

/**
 * Without a database to compare with, everything that may have been taken away is: all tokens, webhooks
 * until somebody switches them on, and all consents until their owners agree again or somebody confirms
 * the rights. Returns the numbers.
 */
export async function takeAll(restored: Database, nowMs: number) {
  const inForce = await idsOf(restored, IN_FORCE);
  const [tokens, webhooks, consents] = await restored.batch([
    sql`DELETE FROM api_tokens`,
    sql`UPDATE webhooks SET enabled = 0,
      off_reason = 'A backup was restored, and nothing says whether it was removed since.' WHERE enabled`,
    sql`UPDATE consents SET withdrawn_at = ${nowMs} WHERE withdrawn_at IS NULL`,
    // A withdrawal ends them, too.
    sql`DELETE FROM rights_confirmations WHERE owner_id IN (SELECT owner_id FROM consents)`,
  ]);
  await pauseWithdrawn(restored, inForce, nowMs);
  return {
    tokens: tokens?.changes ?? 0,
    webhooks: webhooks?.changes ?? 0,
    consents: consents?.changes ?? 0,
  };
}
