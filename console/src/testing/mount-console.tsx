import { QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, RouterProvider } from "@tanstack/react-router";
import { onTestFinished } from "vitest";
import { createAppRouter } from "#console/app/router.tsx";
import { createQueryClient } from "#console/lib/query-client.ts";
import { mount } from "./mount.tsx";

/** Opens the whole console at an address, for whoever is signed in; returns its cache. */
export function mountConsole(address: string, queryClient = createQueryClient()) {
  const router = createAppRouter(queryClient);
  router.update({ ...router.options, history: createMemoryHistory({ initialEntries: [address] }) });
  mount(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  onTestFinished(() => queryClient.clear());
  return queryClient;
}
