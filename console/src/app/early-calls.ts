import type { QueryClient } from "@tanstack/react-query";
import { uploadIdSchema } from "#contract/ids.ts";
import type { Permission } from "#contract/permissions.ts";
import { metricsQuery } from "#console/domain/system/metrics-query.ts";
import { uploadQuery } from "#console/domain/uploads/upload-query.ts";
import { BASE_PATH } from "#console/lib/base-path.ts";
import { tokenNeedsRenewal } from "#console/lib/session-refresh.ts";
import { storedAdmin, storedToken, storedTokenExpiresAtMs } from "#console/lib/session-store.ts";
import { SCREENS } from "./screens.ts";

/**
 * Requests the data of the dashboard, System or a video in parallel with the session check. The
 * service authorizes each call itself; without a session, none of the data is shown.
 */
export async function callEarly(queryClient: QueryClient, nowMs: number): Promise<void> {
  const admin = storedAdmin();
  if (admin === null || !admin.isAdmin || storedToken() === null) return;
  // A refresh could rotate the cookie that the session check is using.
  if (tokenNeedsRenewal(storedTokenExpiresAtMs(), nowMs)) return;
  const may = (permission: Permission) => admin.permissions.includes(permission);
  const path = window.location.pathname.slice(BASE_PATH.length);
  const watched = uploadIdSchema.safeParse(/^\/watch\/(\w+)$/.exec(path)?.[1]).data;
  if ((path === SCREENS.dashboard.path || path === SCREENS.system.path) && may("read:system"))
    void queryClient.prefetchQuery(metricsQuery(true));
  if (path === SCREENS.dashboard.path) {
    const { prefetchDashboard } = await import("#console/features/dashboard/dashboard-page.tsx");
    prefetchDashboard(queryClient, may);
  } else if (watched !== undefined && may("read:uploads")) {
    const [upload, { prefetchWatch }] = await Promise.all([
      queryClient.ensureQueryData(uploadQuery(watched)),
      import("#console/features/watch/watch-page.tsx"),
    ]);
    const at = new URLSearchParams(window.location.search).get("t");
    await prefetchWatch(queryClient, upload, at);
  }
}
