import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";

/** Long enough to type a password and a second factor at Twitch. */
export const LOGIN_STATE_LIFE_MS = 10 * 60_000;

/** Anyone can begin a sign-in; beyond this many unfinished ones the oldest make room. */
const MAX_WAITING = 10_000;

/** Keeps one begun sign-in: who may finish it is bound to the browser's cookie. */
export async function insertLoginState(
  database: Database,
  stateHash: string,
  browserHash: string,
  nowMs: number,
): Promise<void> {
  await database.batch([
    sql`DELETE FROM login_states WHERE expires_at < ${nowMs}`,
    sql`DELETE FROM login_states WHERE state_hash IN
      (SELECT state_hash FROM login_states ORDER BY created_at DESC LIMIT -1 OFFSET ${MAX_WAITING - 1})`,
    sql`INSERT INTO login_states (state_hash, browser_hash, created_at, expires_at)
      VALUES (${stateHash}, ${browserHash}, ${nowMs}, ${nowMs + LOGIN_STATE_LIFE_MS})`,
  ]);
}

/** Uses a state up, whoever asks: true for its own browser, in time, the first time. */
export async function redeemLoginState(
  database: Database,
  stateHash: string,
  browserHash: string,
  nowMs: number,
): Promise<boolean> {
  const { rows } = await database.run(sql`
    DELETE FROM login_states WHERE state_hash = ${stateHash} RETURNING browser_hash, expires_at`);
  const [row] = rows;
  return row !== undefined && row.browser_hash === browserHash && Number(row.expires_at) > nowMs;
}
