import { serverNowMs } from "./server-clock.ts";
import { siteStore } from "./browser-storage.ts";
import { useSelector } from "@tanstack/react-store";
import { logout, validate, type Admin } from "#contract/auth.ts";
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
  storedToken,
  storedTokenExpiresAtMs,
  type SessionState,
} from "./session-store.ts";

/** Whether the last sign-in went to a stand-in for Twitch. */
export const STAND_IN_KEY = "twitch_stand_in";

export function useSession(): SessionState {
  return useSelector(session);
}

/** Whether a channel is that of the person who is signed in. */
export function useIsOwnChannel(): (channelId: string | undefined) => boolean {
  const state = useSession();
  const own = state.status === "signed-in" ? state.admin.twitchId : null;
  return (channelId) => channelId !== undefined && channelId === own;
}

/** The administrator's permissions. For display only; the service decides. */
export function usePermissions(): readonly Permission[] {
  const state = useSession();
  return state.status === "signed-in" ? state.admin.permissions : [];
}

export function useCan(permission: Permission): boolean {
  return usePermissions().includes(permission);
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
    const isWorn = tokenNeedsRenewal(storedTokenExpiresAtMs(), serverNowMs());
    const { admin, ended } = await request(validate, {}, isWorn ? null : storedToken());
    if (admin && isKnownUser(admin)) return setSignedIn(admin);
    // The login screen asks by the cookie why, so it is kept.
    if (ended !== undefined) return setSignedOut(true);
    if (storedAdmin()) await request(logout, {}, null);
  } catch {
    // As without a session.
  }
  setSignedOut(false);
}

/** Whether the last sign-in went to a stand-in for Twitch on this machine. */
export function usesTwitchStandIn(): boolean {
  return siteStore.getItem(STAND_IN_KEY) === "true";
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
