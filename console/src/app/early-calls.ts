import type { QueryClient } from "@tanstack/react-query";
import { BASE_PATH } from "#console/lib/base-path.ts";
import { tokenNeedsRenewal } from "#console/lib/session-refresh.ts";
import { storedAdmin, storedToken, storedTokenExpiresAtMs } from "#console/lib/session-store.ts";
import { ROUTE_PATHS } from "./route-paths.ts";

/**
 * Asks for the start page's answers together with the session's confirmation, not after it. The
 * service decides about each call for itself; without a session nothing of them is shown.
 */
export async function callEarly(queryClient: QueryClient, nowMs: number): Promise<void> {
  const admin = storedAdmin();
  if (window.location.pathname !== BASE_PATH + ROUTE_PATHS.dashboard) return;
  if (admin === null || !admin.isAdmin || storedToken() === null) return;
  // A renewal beside the confirmation could take the cookie from under it.
  if (tokenNeedsRenewal(storedTokenExpiresAtMs(), nowMs)) return;
  const { prefetchDashboard } = await import("./routes/dashboard-route.tsx");
  prefetchDashboard(queryClient, (permission) => admin.permissions.includes(permission));
}
