import type { QueryClient } from "@tanstack/react-query";
import { BASE_PATH } from "#console/lib/base-path.ts";
import { tokenNeedsRenewal } from "#console/lib/session-refresh.ts";
import { storedAdmin, storedToken, storedTokenExpiresAtMs } from "#console/lib/session-store.ts";
import { SCREENS } from "./screens.ts";

/**
 * Requests the start page's data in parallel with the session check. The service authorizes each
 * call itself; without a session, none of the data is shown.
 */
export async function callEarly(queryClient: QueryClient, nowMs: number): Promise<void> {
  const admin = storedAdmin();
  if (window.location.pathname !== BASE_PATH + SCREENS.dashboard.path) return;
  if (admin === null || !admin.isAdmin || storedToken() === null) return;
  // A refresh could rotate the cookie that the session check is using.
  if (tokenNeedsRenewal(storedTokenExpiresAtMs(), nowMs)) return;
  const { prefetchDashboard } = await import("#console/features/dashboard/dashboard-page.tsx");
  prefetchDashboard(queryClient, (permission) => admin.permissions.includes(permission));
}
