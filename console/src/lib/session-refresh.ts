import { refresh } from "#contract/auth.ts";
import { request } from "./api-request.ts";
import { storedToken, storedTokenExpiresAtMs, storeGrant } from "./session-store.ts";

/** A bearer this close to its end is renewed before it is used: longer than any call may take. */
const RENEW_BEFORE_MS = 30_000;

let running: Promise<void> | null = null;

export function tokenNeedsRenewal(expiresAtMs: number | null, nowMs: number): boolean {
  return expiresAtMs !== null && expiresAtMs - nowMs < RENEW_BEFORE_MS;
}

/**
 * Renews the bearer by the session cookie; callers at the same time share one call. Tabs take
 * turns by a lock, because a renewal makes the bearer before it worthless: whoever comes second
 * finds a new one in storage and is done. Throws `ApiError`.
 */
export function refreshSession(refusedToken: string | null): Promise<void> {
  running ??= navigator.locks
    .request("session-refresh", async () => {
      const token = storedToken();
      if (token !== null && token !== refusedToken) return;
      storeGrant(await request(refresh, {}, null));
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
