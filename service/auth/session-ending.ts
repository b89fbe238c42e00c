import * as z from "zod/mini";
import { type Actor, auditEntryIfChanged } from "#service/audit/audit-entry.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { SecretCipher } from "#service/secrets/secret-cipher.ts";
import type { TwitchOauth } from "#service/twitch/twitch-oauth.ts";
import { publishRightsChanged } from "./session-events.ts";
import type { RevocationReason, SessionRow } from "./session-row.ts";
import { revokeSession, revokeSessionsOf } from "./session-store.ts";

export type SessionEnding = {
  /** Ends these sessions and gives their Twitch tokens back. Safe to repeat. */
  signOut(
    sessions: readonly SessionRow[],
    by: { readonly requestId: string; readonly clientAddress: string },
  ): Promise<void>;
  /** Ends every session of a user, and tells who did it. Safe to repeat. */
  endAll(userId: string, actor: Actor): Promise<void>;
  end(session: { id: string; userId: string }, reason: RevocationReason): Promise<void>;
};

/** Nobody waits longer for a sign-out because of Twitch; the revocation itself goes on. */
const REVOKE_PATIENCE_MS = 1_500;

const tokenRow = z.object({ twitch_access_token: z.nullable(z.string()) });

export function createSessionEnding(
  { platform, log }: ServiceContext,
  twitch: TwitchOauth,
  cipher: SecretCipher,
): SessionEnding {
  const { database, clock } = platform;

  async function end(
    session: { id: string; userId: string },
    reason: RevocationReason,
    by: { readonly requestId: string; readonly clientAddress: string } | null = null,
  ): Promise<void> {
    const atMs = clock.now();
    await database.batch(
      [
        ...revokeSession(session.id, reason, atMs),
        auditEntryIfChanged({
          atMs: atMs,
          actorId: session.userId,
          action: "session.end",
          target: session.id,
          result: "done",
          reason,
          requestId: by?.requestId ?? null,
          address: by?.clientAddress ?? null,
        }),
      ],
      { isEssential: true },
    );
    await publishRightsChanged(platform, session.userId);
  }

  /** Twitch may be slow or down; our own session has ended all the same. */
  async function revokeAtTwitch(encrypted: string | null, sessionId: string): Promise<void> {
    if (encrypted === null) return;
    const token = await cipher.decrypt(encrypted, sessionId);
    if (token === null) return;
    try {
      await twitch.revokeToken(token.text);
    } catch (error) {
      log.warn("A signed-out user's Twitch token could not be revoked", { error });
    }
  }

  return {
    async signOut(sessions, by) {
      for (const session of sessions) {
        const [row] = await database.all(
          sql`SELECT twitch_access_token FROM sessions WHERE id = ${session.id}`,
        );
        await end({ id: session.id, userId: session.user_id }, "signed_out", by);
        if (row === undefined) continue;
        const answered = new AbortController();
        const revoked = revokeAtTwitch(tokenRow.parse(row).twitch_access_token, session.id);
        await Promise.race([
          revoked.finally(() => answered.abort()),
          clock.sleep(REVOKE_PATIENCE_MS, answered.signal),
        ]);
      }
    },
    async endAll(userId, actor) {
      const atMs = clock.now();
      await database.batch(
        [
          ...revokeSessionsOf(userId, "ended_by_administrator", atMs),
          auditEntryIfChanged({
            atMs,
            ...actor,
            action: "session.end_all",
            target: userId,
            result: "done",
          }),
        ],
        { isEssential: true },
      );
      await publishRightsChanged(platform, userId);
    },
    end,
  };
}
