import { validate } from "#contract/auth.ts";
import { request } from "./api-request.ts";
import { setSignedIn, storedToken } from "./session-store.ts";

/** A screen with several refused calls asks once. */
const RECHECK_AFTER_MS = 5_000;

let checkedAtMs = Number.NEGATIVE_INFINITY;

/**
 * Asks anew who this is and what they may do. A refusal (403) means that the console knows less
 * than the service: rights were taken since, and the controls that need them should say so. What
 * goes wrong here is left alone; the refused call tells its own error.
 */
export async function recheckRights(nowMs: number): Promise<void> {
  if (nowMs - checkedAtMs < RECHECK_AFTER_MS) return;
  checkedAtMs = nowMs;
  try {
    const { valid, admin } = await request(validate, {}, storedToken());
    if (valid && admin !== null) setSignedIn(admin);
  } catch {
    // The next refusal asks again.
  }
}
