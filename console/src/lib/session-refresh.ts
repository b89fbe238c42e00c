import { logout, refresh } from "#contract/auth.ts";
import { request } from "./api-request.ts";
import { isKnownUser, storedToken, storedTokenExpiresAtMs, storeGrant } from "./session-store.ts";

/** Renew a bearer this long before it expires: longer than any call may take. */
const RENEW_BEFORE_MS = 30_000;

let running: Promise<void> | null = null;

export function tokenNeedsRenewal(expiresAtMs: number | null, nowMs: number): boolean {
  return expiresAtMs !== null && expiresAtMs - nowMs < RENEW_BEFORE_MS;
}

/**
 * Renews the bearer by the session cookie; concurrent callers share one call. Tabs take turns with
 * a lock, because renewal invalidates the previous bearer: a tab that had to wait uses the new one
 * from storage. A session of another user is ended instead. Throws `ApiError`.
 */
export function refreshSession(refusedToken: string | null): Promise<void> {
  running ??= navigator.locks
    .request("session-refresh", async () => {
      const token = storedToken();
      if (token !== null && token !== refusedToken) return;
      const grant = await request(refresh, {}, null);
      if (isKnownUser(grant.admin)) storeGrant(grant);
      else await request(logout, {}, null);
    })
    .finally(() => {
      running = null;
    });
  return running;
}

/** Renews the bearer when it is about to expire. */
export async function ensureFreshToken(nowMs: number): Promise<void> {
  if (tokenNeedsRenewal(storedTokenExpiresAtMs(), nowMs)) await refreshSession(storedToken());
}
