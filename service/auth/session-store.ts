import { type AuditInput, auditEntryIf } from "#service/changes/audit-entry.ts";
import { recordedChange, type ChangeRecord } from "#service/changes/recorded-change.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import type { SessionClient } from "./own-sessions.ts";
import type { PresentedHashes } from "./session-validity.ts";
import {
  readSession,
  SELECT_SESSION,
  type RevocationReason,
  type SessionRow,
} from "./session-row.ts";

/** Every session that one of the presented tokens belongs to, also by a replaced bearer. */
export async function findSessions(
  database: Database,
  presented: PresentedHashes,
): Promise<readonly SessionRow[]> {
  const rows = await database.all(sql`
    ${SELECT_SESSION}
    WHERE s.cookie_hash = ${presented.cookie} OR s.bearer_hash = ${presented.bearer}
      OR s.bearer_family_hash = ${presented.bearerFamily}`);
  return rows.map(readSession);
}

export async function findSession(
  database: Database,
  sessionId: string,
): Promise<SessionRow | null> {
  const [row] = await database.all(sql`${SELECT_SESSION} WHERE s.id = ${sessionId}`);
  return row === undefined ? null : readSession(row);
}

export type NewSession = {
  readonly id: string;
  readonly userId: string;
  readonly cookieHash: string;
  readonly bearerHash: string;
  readonly bearerFamilyHash: string;
  readonly bearerExpiresAtMs: number;
  readonly expiresAtMs: number;
  readonly twitchAccessToken: string;
  readonly twitchRefreshToken: string | null;
  readonly client: SessionClient;
};

/** Changes no row when the user is banned, so a sign-in cannot race a ban. */
export function insertSession(session: NewSession, atMs: number): Statement {
  return sql`
    INSERT INTO sessions (id, user_id, cookie_hash, bearer_hash, bearer_family_hash, rotated_at,
      bearer_expires_at, created_at, last_seen_at, expires_at, twitch_access_token, twitch_refresh_token,
      twitch_validated_at, user_agent, address)
    SELECT ${session.id}, id, ${session.cookieHash}, ${session.bearerHash},
      ${session.bearerFamilyHash}, ${atMs},
      ${session.bearerExpiresAtMs}, ${atMs}, ${atMs}, ${session.expiresAtMs},
      ${session.twitchAccessToken}, ${session.twitchRefreshToken}, ${atMs},
      ${session.client.userAgent}, ${session.client.address}
    FROM users WHERE id = ${session.userId} AND banned_at IS NULL`;
}

export function touchSession(sessionId: string, atMs: number): Statement {
  return sql`UPDATE sessions SET last_seen_at = ${atMs} WHERE id = ${sessionId}`;
}

/** Replaces the bearer, unless another refresh was faster or the session has ended. */
export function rotateBearer(
  session: SessionRow,
  next: { bearerHash: string; rotatedAtMs: number; bearerExpiresAtMs: number },
): Statement {
  return sql`
    UPDATE sessions SET bearer_hash = ${next.bearerHash},
      rotated_at = ${next.rotatedAtMs}, bearer_expires_at = ${next.bearerExpiresAtMs},
      last_seen_at = ${next.rotatedAtMs}
    WHERE id = ${session.id} AND bearer_hash = ${session.bearer_hash} AND revoked_at IS NULL`;
}

function revokeWhere(
  condition: Statement,
  reason: RevocationReason,
  atMs: number,
  record: ChangeRecord,
): readonly Statement[] {
  return recordedChange(
    sql`UPDATE sessions SET revoked_at = ${atMs}, revoked_reason = ${reason},
        twitch_access_token = NULL, twitch_refresh_token = NULL
      WHERE ${condition} AND revoked_at IS NULL`,
    atMs,
    record,
  );
}

/** Ends one session, and so its stream tickets. The first result tells whether it was open. */
export function revokeSession(
  sessionId: string,
  reason: RevocationReason,
  atMs: number,
  record: ChangeRecord = {},
): readonly Statement[] {
  return revokeWhere(sql`id = ${sessionId}`, reason, atMs, record);
}

/** Ends every session of a user. Call `publishRightsChanged` afterwards. Idempotent. */
export function revokeSessionsOf(
  userId: string,
  reason: RevocationReason,
  atMs: number,
  record: ChangeRecord = {},
): readonly Statement[] {
  return revokeWhere(sql`user_id = ${userId}`, reason, atMs, record);
}

/** Concurrent sessions per account, because each has its own request limits. */
const MAX_SESSIONS_PER_USER = 20;

/** Ends the oldest sessions above the limit; for the batch that opens one. */
export function revokeOldestSessions(
  userId: string,
  atMs: number,
  audit: Omit<AuditInput, "atMs">,
): readonly Statement[] {
  const kept = sql`
    SELECT id FROM sessions
    WHERE user_id = ${userId} AND revoked_at IS NULL AND expires_at > ${atMs}
    ORDER BY created_at DESC, rowid DESC LIMIT ${MAX_SESSIONS_PER_USER}`;
  const isTooOld = sql`user_id = ${userId} AND revoked_at IS NULL AND id NOT IN (${kept})`;
  return [
    auditEntryIf({ ...audit, atMs }, sql`EXISTS (SELECT 1 FROM sessions WHERE ${isTooOld})`),
    ...revokeWhere(isTooOld, "too_many", atMs, {}),
  ];
}
