import { validate } from "#contract/auth.ts";
import { request } from "./api-request.ts";
import { setSignedIn, storedToken } from "./session-store.ts";

/** Several refused calls of one screen cause one check. */
const RECHECK_AFTER_MS = 5_000;

let checkedAtMs = Number.NEGATIVE_INFINITY;

/** After a 403: permissions were revoked since the last check, and the controls should show that. */
export function recheckRights(nowMs: number): void {
  if (nowMs - checkedAtMs < RECHECK_AFTER_MS) return;
  checkedAtMs = nowMs;
  void reloadRights();
}

/**
 * Reloads the administrator and their permissions, which others may grant and revoke at any time.
 * Errors are ignored: other calls report theirs.
 */
export async function reloadRights(): Promise<void> {
  const token = storedToken();
  try {
    const { valid, admin } = await request(validate, {}, token);
    // The token is another one after a sign-out in the meantime.
    if (valid && admin !== null && token === storedToken()) setSignedIn(admin);
  } catch {
    // The next check may succeed.
  }
}
