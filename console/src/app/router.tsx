import { serverNowMs } from "#console/lib/server-clock.ts";
import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Navigate,
  redirect,
  type ErrorComponentProps,
} from "@tanstack/react-router";
import type { ComponentType } from "react";
import type { Permission } from "#contract/permissions.ts";
import { BASE_PATH } from "#console/lib/base-path.ts";
import { loadScript } from "#console/lib/load-script.ts";
import {
  parseSearch,
  searchReader,
  stringifySearch,
  textParam,
} from "#console/lib/search-params.ts";
import { expectedAdmin, useCan } from "#console/lib/session.ts";
import type { ScreenOpening } from "#console/lib/screen-opening.ts";
import { BrokenPart } from "#console/ui/broken-part.tsx";
import { Card } from "#console/ui/card.tsx";
import { Page } from "#console/ui/page.tsx";
import { ForbiddenState } from "#console/ui/forbidden-state.tsx";
import { Skeleton } from "#console/ui/skeleton.tsx";
import { LoadingGate } from "./gates/loading-gate.tsx";
import { loadGates, Root } from "./root.tsx";
import { SCREENS, type Screen } from "./screens.ts";

const rootRoute = createRootRouteWithContext<{ queryClient: QueryClient }>()({ component: Root });

function goHome() {
  return <Navigate to="/" replace />;
}

/**
 * On a failed import the router would reload the page, losing the console if the server is down.
 */
function lazy(load: () => Promise<ComponentType>) {
  return lazyRouteComponent(async () => ({ default: await loadScript(load) }));
}

/** Requests a screen's data, if the administrator may see it; resolves without the answers. */
async function prefetch<Search extends object>(
  { permission, load }: Screen<string, Search>,
  opening: Omit<ScreenOpening<Search>, "may">,
): Promise<void> {
  const admin = expectedAdmin(serverNowMs());
  if (admin === null || !admin.isAdmin) return;
  const may = (needed: Permission) => admin.permissions.includes(needed);
  if (permission !== null && !may(permission)) return;
  // The screen repeats what fails, and shows the error.
  const screen = await load().catch(() => null);
  void screen?.prefetch?.({ ...opening, may }).catch(() => undefined);
}

function routeOf<Path extends string, Search extends object>(screen: Screen<Path, Search>) {
  const { path, label, title = label, permission, readSearch, load } = screen;
  return createRoute({
    getParentRoute: () => rootRoute,
    path,
    validateSearch: readSearch,
    shouldReload: ({ cause }) => cause === "enter",
    loader: ({ context: { queryClient }, params, location, cause }) =>
      prefetch(screen, { queryClient, params, search: readSearch(location.search), cause }),
    component: lazy(async () => {
      const { Screen: Contents } = await load();
      if (permission === null) return () => <Contents title={title} />;
      return function GatedScreen() {
        return useCan(permission) ? (
          <Contents title={title} />
        ) : (
          <Page title={title}>
            <ForbiddenState permission={permission} />
          </Page>
        );
      };
    }),
  });
}

type RouteOf<S> =
  S extends Screen<infer Path, infer Search> ? ReturnType<typeof routeOf<Path, Search>> : never;

type ScreenRoutes = { [Name in keyof typeof SCREENS]: RouteOf<(typeof SCREENS)[Name]> };

// `Object.entries` forgets which name has which type.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
const screenRoutes = Object.fromEntries(
  Object.entries(SCREENS).map(([name, screen]) => [name, routeOf<string, object>(screen)]),
) as unknown as ScreenRoutes;

/** Signed-in administrators are redirected from the login screen. */
const loginRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/login",
  component: goHome,
});

const callbackText = textParam(512);

const callbackRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/auth/callback",
  validateSearch: searchReader({ code: callbackText, state: callbackText, error: callbackText }),
  component: lazy(async () => (await loadGates()).CallbackGate),
  pendingComponent: LoadingGate,
});

/** Before the gates: a channel's owner is usually no administrator. */
const consentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/consent/{-$token}",
  component: lazy(async () => (await loadGates()).ConsentGate),
  pendingComponent: LoadingGate,
});

/** Before the gates: nobody is an administrator yet. */
const setupRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/setup",
  component: lazy(async () => (await loadGates()).SetupGate),
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
        component: lazy(async () => (await import("./design/design-page.tsx")).DesignPage),
      }),
    ]
  : [];

const routeTree = rootRoute.addChildren([
  ...Object.values(screenRoutes),
  loginRoute,
  callbackRoute,
  consentRoute,
  setupRoute,
  unknownRoute,
  ...developmentRoutes,
]);

/** Shown in place of a screen that threw. */
function RouteError({ error }: ErrorComponentProps) {
  return (
    <Page title="Something went wrong">
      <BrokenPart title="This screen could not be shown" error={error} />
    </Page>
  );
}

/** Shown while a screen's code loads. */
function RoutePending() {
  return (
    <Page title="Loading...">
      <Card>
        <Skeleton width="40%" />
      </Card>
    </Page>
  );
}

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
