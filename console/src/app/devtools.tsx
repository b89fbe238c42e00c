import { ReactQueryDevtools } from "@tanstack/react-query-devtools";
import { TanStackRouterDevtools } from "@tanstack/react-router-devtools";
import type { createAppRouter } from "./router.tsx";

/** Panels for the query cache and the routes, in the corner without controls. */
export function Devtools({ router }: { readonly router: ReturnType<typeof createAppRouter> }) {
  return (
    <>
      <TanStackRouterDevtools router={router} position="bottom-right" />
      <ReactQueryDevtools buttonPosition="bottom-right" />
    </>
  );
}
