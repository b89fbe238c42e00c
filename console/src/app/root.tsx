import { useQueryClient } from "@tanstack/react-query";
import { Outlet, useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect, useRef } from "react";
import { rememberReturnPath } from "#console/lib/return-path.ts";
import { useSession } from "#console/lib/session.ts";
import { AccessDeniedGate } from "./gates/access-denied-gate.tsx";
import { LoadingGate } from "./gates/loading-gate.tsx";
import { LoginGate } from "./gates/login-gate.tsx";
import { Layout } from "./layout/layout.tsx";

/** The gates of specification section 4: nobody but an administrator gets past them. */
export function Root() {
  const session = useSession();
  const pathname = useLocation({ select: (location) => location.pathname });
  useGoToLoginOnSignOut();

  if (pathname === "/auth/callback") return <Outlet />;
  if (session.status === "loading") return <LoadingGate />;
  if (session.status === "signed-out") return <LoginGate />;
  if (!session.admin.isAdmin) return <AccessDeniedGate admin={session.admin} />;
  return (
    <Layout admin={session.admin}>
      <Outlet />
    </Layout>
  );
}

/** A session that ends leads to /login and leaves nothing of what was seen in memory. */
function useGoToLoginOnSignOut(): void {
  const session = useSession();
  const navigate = useNavigate();
  const queryClient = useQueryClient();
  const wasSignedIn = useRef(false);
  useEffect(() => {
    if (session.status === "signed-in") {
      wasSignedIn.current = true;
    } else if (session.status === "signed-out" && wasSignedIn.current) {
      wasSignedIn.current = false;
      if (session.expired) {
        rememberReturnPath(`${window.location.pathname}${window.location.search}`);
      }
      queryClient.clear();
      void navigate({ to: "/login", replace: true });
    }
  }, [session, navigate, queryClient]);
}
