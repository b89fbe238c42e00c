import * as z from "zod/mini";
import { ownSessionSchema, type OwnSession } from "#contract/sessions.ts";
import { flagColumn, instantColumn } from "#service/db/columns.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { IDLE_LIFE_MS } from "./session-validity.ts";

/** What a browser sends about itself at a sign-in. */
export type SessionClient = { readonly userAgent: string | null; readonly address: string | null };

/** Browsers send about 150 characters; other clients may send kilobytes. */
const MAX_USER_AGENT_LENGTH = 300;

export function readSessionClient(request: Request, clientAddress: string): SessionClient {
  const userAgent = request.headers.get("user-agent")?.slice(0, MAX_USER_AGENT_LENGTH) ?? "";
  return {
    userAgent: userAgent === "" ? null : userAgent,
    address: clientAddress === "" ? null : clientAddress,
  };
}

/** For the batch that inserts the session; inserts nothing if the session was not inserted. */
export function insertSessionClient(sessionId: string, client: SessionClient): Statement {
  return sql`
    INSERT INTO session_clients (session_id, user_agent, address)
    SELECT id, ${client.userAgent}, ${client.address} FROM sessions WHERE id = ${sessionId}`;
}

const ownSessionRow = z.extend(ownSessionSchema, {
  createdAt: instantColumn,
  lastUsedAt: instantColumn,
  expiresAt: instantColumn,
  isCurrent: flagColumn,
});

/** A user's live sessions, most recently used first. */
export async function listOwnSessions(
  database: Database,
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
  nowMs: number,
): Promise<OwnSession[]> {
  const rows = await database.all(sql`
    SELECT s.id, c.user_agent AS userAgent, c.address, s.created_at AS createdAt,
      s.last_seen_at AS lastUsedAt, s.expires_at AS expiresAt, s.id = ${sessionId} AS isCurrent
    FROM sessions s LEFT JOIN session_clients c ON c.session_id = s.id
    WHERE s.user_id = ${userId} AND s.revoked_at IS NULL AND s.expires_at > ${nowMs}
      AND s.last_seen_at > ${nowMs - IDLE_LIFE_MS}
    ORDER BY s.last_seen_at DESC, s.created_at DESC, s.id`);
  return rows.map((row) => ownSessionRow.parse(row));
}
