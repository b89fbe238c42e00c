import type { Actor } from "#service/http/route.ts";
import { sql } from "#service/db/sql.ts";
import { ApiError } from "#service/api-error.ts";
import type { Database, Statement } from "#service/ports/database.ts";

/** Who starts an archive: a person, or a rule of the deployment, by its name. */
export type Initiator = Actor | { readonly actorId: null; readonly rule: string };

/**
 * A request that starts an upload may take seconds, and its user may be banned meanwhile. The ban
 * cancels pending uploads; this condition prevents new ones after it. Rules are not banned.
 */
export function isNotBanned(userId: string | null): Statement {
  if (userId === null) return sql`1`;
  return sql`EXISTS (SELECT 1 FROM users initiator
    WHERE initiator.id = ${userId} AND initiator.banned_at IS NULL)`;
}

/** @throws {ApiError} unauthenticated, like every other call of a banned user */
export async function assertNotBanned(database: Database, userId: string | null): Promise<void> {
  const [row] = await database.all(sql`SELECT ${isNotBanned(userId)} AS may_start`);
  if (row?.may_start !== 1) throw new ApiError("unauthenticated", "Please sign in.");
}
