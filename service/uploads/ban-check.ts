import { sql } from "#service/db/sql.ts";
import { ApiError } from "#service/api-error.ts";
import type { Database, Statement } from "#service/ports/database.ts";

/**
 * A request that starts an upload may take seconds, and its user may be banned meanwhile. The ban
 * cancels pending uploads; this condition prevents new ones after it.
 */
export function isNotBanned(userId: string): Statement {
  return sql`EXISTS (SELECT 1 FROM users initiator
    WHERE initiator.id = ${userId} AND initiator.banned_at IS NULL)`;
}

/** @throws {ApiError} unauthenticated, like every other call of a banned user */
export async function assertNotBanned(database: Database, userId: string): Promise<void> {
  const [row] = await database.all(sql`SELECT ${isNotBanned(userId)} AS may_start`);
  if (row?.may_start !== 1) throw new ApiError("unauthenticated", "Please sign in.");
}
