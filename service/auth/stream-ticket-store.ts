import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";

/** A ticket is part of a URL, which logs may record, so it lives just long enough to be used. */
const STREAM_TICKET_LIFE_MS = 60_000;

export function insertStreamTicket(
  ticketHash: string,
  sessionId: string,
  nowMs: number,
): readonly Statement[] {
  return [
    sql`DELETE FROM stream_tickets WHERE session_id = ${sessionId} AND expires_at < ${nowMs}`,
    sql`INSERT INTO stream_tickets (ticket_hash, session_id, expires_at)
      VALUES (${ticketHash}, ${sessionId}, ${nowMs + STREAM_TICKET_LIFE_MS})`,
  ];
}

/** Consumes a ticket; of two concurrent uses one gets the session's id and the other null. */
export async function redeemStreamTicket(
  database: Database,
  ticketHash: string,
  nowMs: number,
): Promise<string | null> {
  const { rows } = await database.run(sql`
    DELETE FROM stream_tickets WHERE ticket_hash = ${ticketHash}
    RETURNING session_id, expires_at`);
  const [row] = rows;
  if (row === undefined || Number(row.expires_at) <= nowMs) return null;
  return String(row.session_id);
}
