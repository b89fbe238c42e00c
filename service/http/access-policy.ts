import type { AnyCall } from "#contract/call.ts";
import { SIGN_IN_TOO_OLD } from "#contract/errors.ts";
import { ApiError } from "#service/api-error.ts";
import type { Settings } from "#service/settings.ts";
import type { Principal } from "./route.ts";

/**
 * Decides whether `principal` may make the call. Denies by default.
 * @throws {ApiError} unauthenticated or forbidden
 */
export function requireAccess(
  { policy, refusesTokens }: Pick<AnyCall, "policy" | "refusesTokens">,
  principal: Principal | null,
): void {
  if (policy === "public") return;
  if (principal === null) throw new ApiError("unauthenticated", "Please sign in.");
  if (principal.token !== null && (policy === "session" || refusesTokens === true))
    throw new ApiError("forbidden", "API tokens cannot do this. Please sign in to the console.");
  if (policy === "session") return;
  if (policy === "admin") {
    if (principal.isAdmin) return;
    throw new ApiError("forbidden", "Only administrators can do this.");
  }
  if (policy !== "metrics_token" && principal.permissions.includes(policy)) return;
  throw new ApiError("forbidden", `This needs the permission ${policy}.`);
}

/**
 * A token passes: a recent sign-in was required to make it.
 * @throws {ApiError} forbidden, with SIGN_IN_TOO_OLD among its details
 */
export function requireRecentSignIn(
  { needsRecentSignIn }: Pick<AnyCall, "needsRecentSignIn">,
  principal: Principal | null,
  { REAUTHENTICATE_MINUTES: minutes }: Pick<Settings, "REAUTHENTICATE_MINUTES">,
  nowMs: number,
): void {
  if (needsRecentSignIn !== true || minutes === undefined || principal === null) return;
  if (principal.token !== null || nowMs - principal.signedInAtMs < minutes * 60_000) return;
  throw new ApiError("forbidden", "Sign in again to do this: your last sign-in was too long ago.", {
    details: { [SIGN_IN_TOO_OLD]: `is older than ${minutes} minutes` },
  });
}
