import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import type { Digests } from "#service/ports/digests.ts";
import type { Random } from "#service/ports/random.ts";
import type { Keyring } from "#service/secrets/keyring.ts";
import { createSigner } from "#service/secrets/signer.ts";
import { hashToken, newToken } from "./session-tokens.ts";

/** Long enough to type a password and a second factor at Twitch. */
export const LOGIN_STATE_LIFE_MS = 10 * 60_000;

/** The longest that Twitch's device codes are valid. */
export const DEVICE_STATE_LIFE_MS = 30 * 60_000;

/**
 * The `state` of a sign-in (RFC 6749 section 10.12): random, with an expiry, and authenticated
 * together with the cookie of the browser that began. Nothing is stored until the sign-in has
 * succeeded, so nobody can exhaust storage with unfinished sign-ins.
 */
export type LoginStates = {
  issue(browser: string, nowMs: number): Promise<string>;
  /** Whether it was issued to this browser and has not expired. */
  isValid(state: string, browser: string, nowMs: number): Promise<boolean>;
};

export async function createLoginStates(keyring: Keyring, random: Random): Promise<LoginStates> {
  const signer = await createSigner(keyring, "login states");

  return {
    async issue(browser, nowMs) {
      const claim = `${newToken(random)}.${nowMs + LOGIN_STATE_LIFE_MS}`;
      return `${claim}.${await signer.sign(`${claim} ${browser}`)}`;
    },

    async isValid(state, browser, nowMs) {
      const [, claim, expiresAt, signature] =
        /^([0-9a-f]{64}\.(\d{1,16}))\.([\w-]{43})$/.exec(state) ?? [];
      if (claim === undefined || signature === undefined) return false;
      return Number(expiresAt) > nowMs && (await signer.verify(`${claim} ${browser}`, signature));
    },
  };
}

/** Changes no row when this state was used already. */
export async function spendLoginState(
  digests: Digests,
  state: string,
  nowMs: number,
): Promise<Statement> {
  // Only the random part, because one signature has several base64url spellings.
  const hash = await hashToken(digests, state.slice(0, 64));
  return sql`INSERT OR IGNORE INTO single_uses (kind, value, expires_at)
    VALUES ('login_state', ${hash}, ${nowMs + DEVICE_STATE_LIFE_MS})`;
}
