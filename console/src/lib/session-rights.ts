import { validate } from "#contract/auth.ts";
import { request } from "./api-request.ts";
import { setSignedIn, storedToken } from "./session-store.ts";

/** Several refused calls of one screen cause one check. */
const RECHECK_AFTER_MS = 5_000;

let checkedAtMs = Number.NEGATIVE_INFINITY;

/**
 * Reloads the administrator and their permissions. A 403 means that permissions were revoked since
 * the last check, and the controls should show that. Errors are ignored; the refused call reports
 * its own.
 */
export async function recheckRights(nowMs: number): Promise<void> {
  if (nowMs - checkedAtMs < RECHECK_AFTER_MS) return;
  checkedAtMs = nowMs;
  try {
    const { valid, admin } = await request(validate, {}, storedToken());
    if (valid && admin !== null) setSignedIn(admin);
  } catch {
    // The next 403 checks again.
  }
}
