import "./tokens.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { BASE_PATH } from "#console/lib/base-path.ts";
import { createQueryClient } from "#console/lib/query-client.ts";
import { checkSession } from "#console/lib/session.ts";
import { followOtherTabs } from "#console/lib/session-store.ts";
import { lazyPart } from "#console/ui/lazy-part.tsx";
import { ToastRegion } from "#console/ui/toast-region.tsx";
import { createAppRouter } from "./router.tsx";

/** The build drops them. */
const Devtools = import.meta.env.DEV
  ? lazyPart(async () => (await import("./devtools.tsx")).Devtools)
  : null;

const queryClient = createQueryClient();
followOtherTabs();
// The callback page creates a session itself; a check there would fail.
if (window.location.pathname !== `${BASE_PATH}/auth/callback`) void checkSession();

const root = document.getElementById("root");
if (root === null) throw new Error("No #root");
// Tasks of their own: evaluating the modules was a long one. The first screen's data is requested
// before it is drawn.
setTimeout(() => {
  const router = createAppRouter(queryClient);
  void router.load();
  setTimeout(() =>
    createRoot(root).render(
      <StrictMode>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
          <ToastRegion />
          {Devtools && <Devtools router={router} />}
        </QueryClientProvider>
      </StrictMode>,
    ),
  );
});
