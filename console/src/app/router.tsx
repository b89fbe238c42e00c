import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  redirect,
} from "@tanstack/react-router";
import { readAuditSearch } from "#console/features/audit/audit-search.ts";
import { readDashboardSearch } from "#console/features/dashboard/dashboard-search.ts";
import { readFilesSearch } from "#console/features/files/files-search.ts";
import { readSystemSearch } from "#console/features/system/system-search.ts";
import { readNotificationsSearch } from "#console/features/notifications/notifications-search.ts";
import { readFailedSearch, readUploadsSearch } from "#console/features/uploads/uploads-search.ts";
import { readUsersSearch } from "#console/features/users/users-search.ts";
import { BASE_PATH } from "#console/lib/base-path.ts";
import { loadScript } from "#console/lib/load-script.ts";
import { parseSearch, stringifySearch } from "#console/lib/search-params.ts";
import { readCallbackSearch } from "./gates/callback-search.ts";
import { LoadingGate } from "./gates/loading-gate.tsx";
import { Root } from "./root.tsx";
import { ROUTE_PATHS } from "./route-paths.ts";
import { RouteError } from "./route-error.tsx";
import { RoutePending } from "./route-pending.tsx";

/**
 * On a failed import the router would reload the page, losing the console if the server is down.
 */
function screen<M extends Record<string, unknown>, Name extends keyof M>(
  load: () => Promise<M>,
  name: Name,
) {
  return lazyRouteComponent(async () => loadScript(load), name);
}

const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({ component: Root });

function goHome() {
  return <Navigate to="/" replace />;
}

const dashboardRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: ROUTE_PATHS.dashboard,
  validateSearch: readDashboardSearch,
  component: screen(() => import("./routes/dashboard-route.tsx"), "DashboardRoute"),
});

const uploadsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: ROUTE_PATHS.uploads,
  validateSearch: readUploadsSearch,
  component: screen(() => import("./routes/uploads-route.tsx"), "UploadsRoute"),
});

const failedUploadsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: ROUTE_PATHS["failed-uploads"],
  validateSearch: readFailedSearch,
  component: screen(() => import("./routes/failed-uploads-route.tsx"), "FailedUploadsRoute"),
});

const filesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: ROUTE_PATHS.files,
  validateSearch: readFilesSearch,
  component: screen(() => import("./routes/files-route.tsx"), "FilesRoute"),
});

const usersRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: ROUTE_PATHS.users,
  validateSearch: readUsersSearch,
  component: screen(() => import("./routes/users-route.tsx"), "UsersRoute"),
});

const notificationsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: ROUTE_PATHS.notifications,
  validateSearch: readNotificationsSearch,
  component: screen(() => import("./routes/notifications-route.tsx"), "NotificationsRoute"),
});

const systemRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: ROUTE_PATHS.system,
  validateSearch: readSystemSearch,
  component: screen(() => import("./routes/system-route.tsx"), "SystemRoute"),
});

/** Reached from the System screen: the navigation has exactly seven items. */
const auditRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: ROUTE_PATHS.audit,
  validateSearch: readAuditSearch,
  component: screen(() => import("./routes/audit-route.tsx"), "AuditRoute"),
});

/** Signed-in administrators are redirected from the login screen. */
const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/login",
  component: goHome,
});

const callbackRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/auth/callback",
  validateSearch: readCallbackSearch,
  component: screen(() => import("./gates/callback-gate.tsx"), "CallbackGate"),
  pendingComponent: LoadingGate,
});

/** Matched before any gate, so that it also applies without a session. */
const unknownRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "$",
  beforeLoad: () => redirect({ to: "/", replace: true, throw: true }),
});

/** The component gallery exists in development only; the build drops it. */
const developmentRoutes = import.meta.env.DEV
  ? [
      createRoute({
        getParentRoute: () => rootRoute,
        path: "/design",
        component: screen(() => import("./routes/design-route.tsx"), "DesignRoute"),
      }),
    ]
  : [];

const routeTree = rootRoute.addChildren([
  dashboardRoute,
  uploadsRoute,
  failedUploadsRoute,
  filesRoute,
  usersRoute,
  notificationsRoute,
  systemRoute,
  auditRoute,
  loginRoute,
  callbackRoute,
  unknownRoute,
  ...developmentRoutes,
]);

export function createAppRouter(queryClient: QueryClient) {
  return createRouter({
    routeTree,
    basepath: BASE_PATH,
    context: { queryClient },
    defaultPreload: "intent",
    scrollRestoration: true,
    defaultErrorComponent: RouteError,
    defaultPendingComponent: RoutePending,
    parseSearch,
    stringifySearch,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
