import { useSelector } from "@tanstack/react-store";
import { callback, login, logout, validate, type Admin } from "#contract/auth.ts";
import type { Permission } from "#contract/permissions.ts";
import { call } from "./api-client.ts";
import { request } from "./api-request.ts";
import { rememberPreferences } from "./preferences.ts";
import { tokenNeedsRenewal } from "./session-refresh.ts";
import {
  isKnownUser,
  session,
  setSignedIn,
  setSignedOut,
  storedAdmin,
  storeGrant,
  storedToken,
  storedTokenExpiresAtMs,
  type SessionState,
} from "./session-store.ts";

const STAND_IN_KEY = "twitch_stand_in";
/** Session storage key: the state of the sign-in that this tab started. */
const STATE_KEY = "sign_in_state";

export function useSession(): SessionState {
  return useSelector(session);
}

/** Whether the administrator holds a permission. For display only; the service decides. */
export function useCan(permission: Permission): boolean {
  const state = useSession();
  return state.status === "signed-in" && state.admin.permissions.includes(permission);
}

/**
 * The administrator as last known, whose data may be requested while the session is still checked:
 * the service authorizes each call itself. Null if a call might renew the session, which would
 * rotate the cookie that the check is using.
 */
export function expectedAdmin(nowMs: number): Admin | null {
  const { state } = session;
  if (state.status === "signed-in") return state.admin;
  // Without a session, nobody is stored.
  return tokenNeedsRenewal(storedTokenExpiresAtMs(), nowMs) ? null : storedAdmin();
}

/** The reason to show on a control whose permission is missing, or undefined. */
export function useMissingPermission(permission: Permission): string | undefined {
  return useCan(permission) ? undefined : `You need the ${permission} permission for this.`;
}

/**
 * Asks the service for a live session, by the stored bearer and the cookie. An invalid session and
 * a failure both clear what is stored (docs/console.md#session).
 */
export async function checkSession(): Promise<void> {
  try {
    // An expired bearer is useless; the cookie alone may still work.
    const isWorn = tokenNeedsRenewal(storedTokenExpiresAtMs(), Date.now());
    const { admin } = await request(validate, {}, isWorn ? null : storedToken());
    if (admin && isKnownUser(admin)) return setSignedIn(admin);
    if (storedAdmin()) await request(logout, {}, null);
  } catch {
    // As without a session.
  }
  setSignedOut(false);
}

/** The address of Twitch's consent page. Throws if it is not an allowed sign-in address. */
export async function signInAddress(): Promise<string> {
  const { authUrl } = await request(login, {}, null);
  if (!isSignInAddress(authUrl)) throw new Error("Not Twitch's address");
  const url = new URL(authUrl);
  localStorage.setItem(STAND_IN_KEY, String(isLoopback(url)));
  sessionStorage.setItem(STATE_KEY, url.searchParams.get("state") ?? "");
  return authUrl;
}

/** Whether the last sign-in went to a stand-in for Twitch on this machine. */
export function usesTwitchStandIn(): boolean {
  return localStorage.getItem(STAND_IN_KEY) === "true";
}

/** Twitch itself, or its stand-in on this machine. */
export function isSignInAddress(address: string): boolean {
  const url = URL.parse(address);
  if (url === null) return false;
  if (url.protocol === "https:" && url.host === "id.twitch.tv") return true;
  return isLoopback(url);
}

function isLoopback(url: URL): boolean {
  return (
    (url.protocol === "http:" || url.protocol === "https:") &&
    ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname)
  );
}

const exchanges = new Map<string, Promise<void>>();

/**
 * Exchanges the code for a session; calls with the same code share one request. Rejects a sign-in
 * that another tab or site started, whatever cookies the browser holds (docs/security.md#sign-in).
 */
export function exchangeCode(code: string, state: string): Promise<void> {
  const running = exchanges.get(code);
  if (running !== undefined) return running;
  const exchange = exchangeOwnCode(code, state);
  exchanges.set(code, exchange);
  return exchange;
}

async function exchangeOwnCode(code: string, state: string): Promise<void> {
  const begun = sessionStorage.getItem(STATE_KEY);
  sessionStorage.removeItem(STATE_KEY);
  if (begun !== state) throw new Error("Not this tab's sign-in");
  storeGrant(await request(callback, { body: { code, state } }, null));
}

/** Signs out locally even if the service can't be reached; throws in that case. */
export async function signOut(): Promise<void> {
  const restorePreferences = rememberPreferences();
  try {
    await call(logout);
  } finally {
    setSignedOut(false);
    restorePreferences();
  }
}
