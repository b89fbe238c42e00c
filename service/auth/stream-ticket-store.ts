import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";

/** A ticket is part of a URL, which logs may record, so it lives just long enough to be used. */
const STREAM_TICKET_LIFE_MS = 60_000;

export function insertStreamTicket(
  ticketHash: string,
  sessionId: string,
  nowMs: number,
): Statement {
  return sql`INSERT INTO single_uses (kind, value, owner, expires_at)
    VALUES ('stream_ticket', ${ticketHash}, ${sessionId}, ${nowMs + STREAM_TICKET_LIFE_MS})`;
}

/**
 * Consumes a ticket; of two concurrent uses one gets the session's id and the other null. The session
 * may have ended since.
 */
export async function redeemStreamTicket(
  database: Database,
  ticketHash: string,
  nowMs: number,
): Promise<string | null> {
  const { rows } = await database.run(sql`
    DELETE FROM single_uses WHERE kind = 'stream_ticket' AND value = ${ticketHash}
    RETURNING owner, expires_at`);
  const [row] = rows;
  if (row === undefined || Number(row.expires_at) <= nowMs) return null;
  return String(row.owner);
}
