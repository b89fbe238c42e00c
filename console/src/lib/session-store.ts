import { siteStore } from "./browser-storage.ts";
import { createStore } from "@tanstack/react-store";
import { adminSchema, type Admin, type SessionGrant } from "#contract/auth.ts";

/**
 * The session, shared by the whole console.
 *
 * `loading` until the service has confirmed or denied the session; then `signed-in` or
 * `signed-out`. A 401 that a refresh does not fix leads to `signed-out`, and so does a sign-out in
 * another tab. The bearer and the administrator are stored under two keys
 * (docs/console.md#session), the bearer's expiry beside them.
 */
export type SessionState =
  | { readonly status: "loading" }
  | { readonly status: "signed-out"; readonly expired: boolean }
  | { readonly status: "signed-in"; readonly admin: Admin };

const TOKEN_KEY = "admin_token";
const ADMIN_KEY = "admin_user";
const EXPIRY_KEY = "admin_token_expires_at";

export const session = createStore<SessionState>({ status: "loading" });

function set(next: SessionState): void {
  session.setState(() => next);
}

export function storedToken(): string | null {
  return siteStore.getItem(TOKEN_KEY);
}

/** When the stored bearer expires; null if unknown. */
export function storedTokenExpiresAtMs(): number | null {
  const expiresAtMs = Date.parse(siteStore.getItem(EXPIRY_KEY) ?? "");
  return Number.isNaN(expiresAtMs) ? null : expiresAtMs;
}

/** The last signed-in administrator; only the service knows whether the session is live. */
export function storedAdmin(): Admin | null {
  try {
    return adminSchema.parse(JSON.parse(siteStore.getItem(ADMIN_KEY) ?? ""));
  } catch {
    return null;
  }
}

/**
 * Whether a session that was found by its cookie may be continued here: over http, other programs on
 * this host can plant a cookie of their own user.
 */
export function isKnownUser({ id }: Admin): boolean {
  return (storedAdmin()?.id ?? id) === id;
}

export function storeGrant(grant: SessionGrant): void {
  siteStore.setItem(TOKEN_KEY, grant.token);
  siteStore.setItem(EXPIRY_KEY, grant.tokenExpiresAt);
  setSignedIn(grant.admin);
}

/** `admin` is as confirmed by the service. */
export function setSignedIn(admin: Admin): void {
  siteStore.setItem(ADMIN_KEY, JSON.stringify(admin));
  set({ status: "signed-in", admin });
}

/** `expired` is true when the service ended the session, false when the administrator did. */
export function setSignedOut(expired: boolean): void {
  for (const key of [TOKEN_KEY, ADMIN_KEY, EXPIRY_KEY]) siteStore.removeItem(key);
  set({ status: "signed-out", expired });
}

/** Follows sign-ins and sign-outs of other tabs. */
export function followOtherTabs(): void {
  window.addEventListener("storage", (event) => {
    if (event.key !== ADMIN_KEY && event.key !== null) return;
    const admin = storedAdmin();
    set(admin === null ? { status: "signed-out", expired: false } : { status: "signed-in", admin });
  });
}
