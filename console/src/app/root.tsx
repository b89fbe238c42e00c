import { useQueryClient } from "@tanstack/react-query";
import { Outlet, useMatches, useRouter } from "@tanstack/react-router";
import { useDeferredValue, useEffect, useRef } from "react";
import { stopBulkRun } from "#console/lib/bulk-state.ts";
import { usePolling } from "#console/lib/polling.ts";
import { rememberReturnPath } from "#console/lib/return-path.ts";
import { reloadRights } from "#console/lib/session-rights.ts";
import { useSession } from "#console/lib/session.ts";
import type { SessionState } from "#console/lib/session-store.ts";
import { lazyPart } from "#console/ui/lazy-part.tsx";
import { LoadingGate } from "./gates/loading-gate.tsx";
import { Layout } from "./layout/layout.tsx";

/** Most visits have a session and need none of them. */
export const loadGates = () => import("./gates/later-parts.ts");
const LoginGate = lazyPart(async () => (await loadGates()).LoginGate, <LoadingGate />);
const AccessDeniedGate = lazyPart(
  async () => (await loadGates()).AccessDeniedGate,
  <LoadingGate />,
);

/** docs/console.md#intervals */
const RIGHTS_POLL_MS = 30_000;
const rights = { refetch: reloadRights };

/** Only administrators get past the gates (docs/console.md#gates). */
export function Root() {
  const session = useShownSession();
  // The rendered route, not the address: the callback stays rendered while navigating away.
  const isUngated = useMatches({
    select: (matches) => matches.some(({ routeId }) => /^.(auth|consent|setup)/.test(routeId)),
  });
  useGoToLoginOnSignOut(isUngated);
  usePolling(rights, session.status === "signed-in" && RIGHTS_POLL_MS);

  if (isUngated) return <Outlet />;
  if (session.status === "loading") return <LoadingGate />;
  if (session.status === "signed-out") return <LoginGate expired={session.expired} />;
  if (!session.admin.isAdmin) return <AccessDeniedGate admin={session.admin} />;
  return (
    <Layout admin={session.admin}>
      <Outlet />
    </Layout>
  );
}

/** The session; the first result is deferred, which splits the first render into short tasks. */
function useShownSession(): SessionState {
  const session = useSession();
  const deferred = useDeferredValue(session);
  return deferred.status === "loading" ? deferred : session;
}

/**
 * When the session ends, stops bulk runs, clears the cached data and, from behind the gates, goes to
 * /login.
 */
function useGoToLoginOnSignOut(isUngated: boolean): void {
  const session = useSession();
  const router = useRouter();
  const queryClient = useQueryClient();
  const wasSignedIn = useRef(false);
  useEffect(() => {
    if (session.status === "signed-in") {
      wasSignedIn.current = true;
    } else if (session.status === "signed-out" && wasSignedIn.current) {
      wasSignedIn.current = false;
      if (session.expired) {
        rememberReturnPath(router.state.location.href);
      }
      stopBulkRun();
      queryClient.clear();
      // From there, the channel's owner may sign in with another account.
      if (!isUngated) void router.navigate({ to: "/login", replace: true });
    }
  }, [session, router, queryClient, isUngated]);
}
