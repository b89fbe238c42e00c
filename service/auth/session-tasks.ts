import * as z from "zod/mini";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { SecretCipher } from "#service/secrets/secret-cipher.ts";
import { OauthError } from "#service/twitch/oauth-error.ts";
import type { TwitchOauth } from "#service/twitch/twitch-oauth.ts";
import type { SessionEnding } from "./session-ending.ts";
import { IDLE_LIFE_MS } from "./session-validity.ts";
import type { RevocationReason } from "./session-row.ts";

/**
 * Twitch requires validation at least hourly (dev.twitch.tv/docs/authentication/validate-tokens).
 */
const VALIDATE_AFTER_MS = 50 * 60_000;
const LOOK_EVERY_MS = 5 * 60_000;
/** Validations per run, so that it ends before the next one begins. */
const VALIDATED_AT_ONCE = 100;

const dueRow = z.object({
  id: z.string(),
  user_id: z.string(),
  twitch_access_token: z.string(),
  twitch_refresh_token: z.nullable(z.string()),
});
type DueSession = z.infer<typeof dueRow>;
type Tokens = { readonly accessToken: string; readonly refreshToken: string | null };

export function scheduleSessionTasks(
  context: ServiceContext,
  features: { twitch: TwitchOauth; cipher: SecretCipher; ending: SessionEnding },
): void {
  context.platform.scheduler.every(LOOK_EVERY_MS, "twitch token validation", () =>
    validateTwitchTokens(context, features),
  );
}

/**
 * Validates the Twitch token of every live session, once an hour. A session ends when its owner
 * disconnected the application, or when its token cannot be decrypted and so cannot be validated.
 * If Twitch cannot be reached, no session ends.
 */
export async function validateTwitchTokens(
  context: ServiceContext,
  { twitch, cipher, ending }: { twitch: TwitchOauth; cipher: SecretCipher; ending: SessionEnding },
): Promise<void> {
  const { database, clock } = context.platform;
  const nowMs = clock.now();
  const rows = await database.all(sql`
    SELECT id, user_id, twitch_access_token, twitch_refresh_token FROM sessions
    WHERE revoked_at IS NULL AND expires_at > ${nowMs} AND last_seen_at > ${nowMs - IDLE_LIFE_MS}
      AND twitch_access_token IS NOT NULL AND twitch_validated_at <= ${nowMs - VALIDATE_AFTER_MS}
    ORDER BY twitch_validated_at LIMIT ${VALIDATED_AT_ONCE}`);
  for (const row of rows) {
    const session = dueRow.parse(row);
    try {
      const tokens = await readTokens(session);
      if (tokens === null) await end(session, "twitch_token_unreadable");
      else if (await isStillConnected(session, tokens)) await markValidated(session.id);
      else await end(session, "disconnected_at_twitch");
    } catch (error) {
      if (!(error instanceof OauthError) || error.kind !== "unavailable") throw error;
      context.log.warn("A sign-in could not be validated with Twitch; it is kept", { error });
      return;
    }
  }

  async function end(session: DueSession, reason: RevocationReason): Promise<void> {
    await ending.end({ id: session.id, userId: session.user_id }, reason);
  }

  /** Null when they cannot be decrypted. Re-encrypts them after a rotation of SECRET_KEY. */
  async function readTokens(session: DueSession): Promise<Tokens | null> {
    const access = await cipher.decrypt(session.twitch_access_token, session.id);
    const refresh =
      session.twitch_refresh_token === null
        ? null
        : await cipher.decrypt(session.twitch_refresh_token, session.id);
    if (access === null || (refresh === null && session.twitch_refresh_token !== null)) return null;
    const tokens = { accessToken: access.text, refreshToken: refresh?.text ?? null };
    if (!access.isCurrent || refresh?.isCurrent === false) await keepTokens(session.id, tokens);
    return tokens;
  }

  async function keepTokens(sessionId: string, tokens: Tokens): Promise<void> {
    const { accessToken, refreshToken } = tokens;
    await database.run(sql`
      UPDATE sessions
      SET twitch_access_token = ${await cipher.encrypt(accessToken, sessionId)},
        twitch_refresh_token = ${
          refreshToken === null ? null : await cipher.encrypt(refreshToken, sessionId)
        }
      WHERE id = ${sessionId} AND revoked_at IS NULL`);
  }

  async function isStillConnected(session: DueSession, tokens: Tokens): Promise<boolean> {
    const standing = await twitch.validateToken(tokens.accessToken);
    if (standing.isLive) return standing.userId === session.user_id;
    return tokens.refreshToken !== null && (await renew(session, tokens.refreshToken));
  }

  /** An access token lasts about four hours; only a failed refresh reveals a disconnection. */
  async function renew(session: DueSession, refreshToken: string): Promise<boolean> {
    try {
      const tokens = await twitch.refreshTokens(refreshToken);
      // Stored before anything else can fail: Twitch may have invalidated the old refresh token.
      await keepTokens(session.id, tokens);
      const standing = await twitch.validateToken(tokens.accessToken);
      return standing.isLive && standing.userId === session.user_id;
    } catch (error) {
      if (error instanceof OauthError && error.kind === "denied") return false;
      throw error;
    }
  }

  async function markValidated(sessionId: string): Promise<void> {
    await database.run(
      sql`UPDATE sessions SET twitch_validated_at = ${clock.now()} WHERE id = ${sessionId}`,
    );
  }
}
