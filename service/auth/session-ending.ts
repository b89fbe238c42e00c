import * as z from "zod/mini";
import type { Actor } from "#service/http/route.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { SecretCipher } from "#service/secrets/secret-cipher.ts";
import type { TwitchOauth } from "#service/twitch/twitch-oauth.ts";
import { publishRightsChanged } from "./session-events.ts";
import type { RevocationReason, SessionRow } from "./session-row.ts";
import { revokeSession, revokeSessionsOf } from "./session-store.ts";

export type SessionEnding = {
  /** Ends these sessions and revokes their Twitch tokens. Idempotent. */
  signOut(
    sessions: readonly SessionRow[],
    request: { readonly requestId: string; readonly clientAddress: string },
  ): Promise<void>;
  /** Ends every session of a user and records who did it. Idempotent. */
  endAll(userId: string, actor: Actor): Promise<void>;
  end(session: { id: string; userId: string }, reason: RevocationReason): Promise<void>;
};

/** A sign-out waits at most this long for Twitch; the revocation continues in the background. */
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
    request: { readonly requestId: string; readonly clientAddress: string } | null = null,
  ): Promise<void> {
    const atMs = clock.now();
    await database.batch(
      revokeSession(session.id, reason, atMs, {
        audit: {
          actorId: session.userId,
          action: "session.end",
          target: session.id,
          reason,
          requestId: request?.requestId ?? null,
          address: request?.clientAddress ?? null,
        },
      }),
      { isEssential: true },
    );
    await publishRightsChanged(platform, session.userId);
  }

  /** Failures are only logged: the session has already ended. */
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
    async signOut(sessions, request) {
      for (const session of sessions) {
        const [row] = await database.all(
          sql`SELECT twitch_access_token FROM sessions WHERE id = ${session.id}`,
        );
        await end({ id: session.id, userId: session.user_id }, "signed_out", request);
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
      const audit = { ...actor, action: "session.end_all", target: userId };
      await database.batch(revokeSessionsOf(userId, "ended_by_administrator", atMs, { audit }), {
        isEssential: true,
      });
      await publishRightsChanged(platform, userId);
    },
    end,
  };
}
