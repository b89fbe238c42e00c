import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { ApiError, messageOf, type ApiErrorCode } from "#console/lib/api-error.ts";
import { SETUP_CODE_KEY, tabStore } from "#console/lib/browser-storage.ts";
import { takeConsentPage, takeWithdrawal } from "#console/lib/consent-return.ts";
import { checkSession } from "#console/lib/session.ts";
import { exchangeCode, withdrawWithCode } from "#console/lib/sign-in.ts";
import { toast } from "#console/ui/toast-store.ts";
import { LoadingGate } from "./loading-gate.tsx";

const REASONS: ReadonlySet<ApiErrorCode> = new Set([
  "forbidden",
  "invalid_request",
  "rate_limited",
  "unavailable",
  "upstream_error",
]);

/** The service's message for a ban, an expired sign-in or a Twitch error. */
function reasonOf(failure: unknown): string | undefined {
  const isReason = failure instanceof ApiError && REASONS.has(failure.code);
  return isReason ? messageOf(failure) : undefined;
}

const route = getRouteApi("/auth/callback");

/** Returns from Twitch: exchanges the code for a session once, even if React mounts this twice. */
export function CallbackGate() {
  const { code, state, error } = route.useSearch();
  const navigate = useNavigate();
  const handled = useRef(false);
  useEffect(() => {
    if (handled.current) return;
    handled.current = true;
    /**
     * A sign-in that began on a page of consent leads back to it, whatever came of it; one that
     * failed on the page of the setup leads back there.
     */
    async function leaveFor(to: "/" | "/login") {
      const page = takeConsentPage();
      const isSetup = to === "/login" && tabStore.getItem(SETUP_CODE_KEY) !== null;
      if (page === null) return navigate({ to: isSetup ? "/setup" : to, replace: true });
      const params = page.token === null ? {} : { token: page.token };
      return navigate({ to: "/consent/{-$token}", params, replace: true });
    }
    async function leaveForLogin(message?: string) {
      if (message !== undefined) toast.error(message);
      await checkSession();
      await leaveFor("/login");
    }
    async function finish() {
      if (error !== undefined) return leaveForLogin(`Authentication failed: ${error}`);
      if (code === undefined || state === undefined) return leaveForLogin();
      try {
        if (takeWithdrawal()) {
          await withdrawWithCode(code, state);
          toast.success("No consent of this account is in force any more.");
          return leaveForLogin();
        }
        if ((await exchangeCode(code, state)).isAdmin) toast.success("Successfully logged in!");
      } catch (failure) {
        const reason = reasonOf(failure);
        if (reason !== undefined) toast.error(reason);
        return leaveForLogin("Login failed. Please try again.");
      }
      return leaveFor("/");
    }
    void finish();
  }, [code, state, error, navigate]);
  return <LoadingGate text="Signing you in" />;
}
