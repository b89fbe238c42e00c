import * as z from "zod/mini";
import { ownSessionSchema, type OwnSession } from "#contract/sessions.ts";
import { flagColumn, instantColumn } from "#service/db/columns.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";
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
    SELECT id, user_agent AS userAgent, address, created_at AS createdAt,
      last_seen_at AS lastUsedAt, expires_at AS expiresAt, id = ${sessionId} AS isCurrent
    FROM sessions
    WHERE user_id = ${userId} AND revoked_at IS NULL AND expires_at > ${nowMs}
      AND last_seen_at > ${nowMs - IDLE_LIFE_MS}
    ORDER BY last_seen_at DESC, created_at DESC, id`);
  return rows.map((row) => ownSessionRow.parse(row));
}
