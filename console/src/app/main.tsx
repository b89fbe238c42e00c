import "./tokens.css";
import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { startTransition, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { BASE_PATH } from "#console/lib/base-path.ts";
import { dropEarlyAnswers } from "#console/lib/early-answers.ts";
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
const isCallback = window.location.pathname === `${BASE_PATH}/auth/callback`;
const checked = isCallback ? undefined : checkSession();

/** A screen whose first answers come within this time is drawn with them, and not empty before. */
const DRAW_WITHIN_MS = 200;

function allAnswered(): Promise<void> {
  return new Promise((resolve) => {
    function look(): void {
      if (queryClient.isFetching() > 0) return;
      stop();
      resolve();
    }
    const stop = queryClient.getQueryCache().subscribe(look);
    look();
  });
}

async function start(container: HTMLElement): Promise<void> {
  const router = createAppRouter(queryClient);
  await Promise.race([
    Promise.allSettled([checked, router.load()]).finally(dropEarlyAnswers).then(allAnswered),
    new Promise((resolve) => setTimeout(resolve, DRAW_WITHIN_MS)),
  ]);
  // A transition is drawn in short tasks.
  startTransition(() =>
    createRoot(container).render(
      <StrictMode>
        <QueryClientProvider client={queryClient}>
          <RouterProvider router={router} />
          <ToastRegion />
          {Devtools && <Devtools router={router} />}
        </QueryClientProvider>
      </StrictMode>,
    ),
  );
}

const root = document.getElementById("root");
if (root === null) throw new Error("No #root");
// A task of its own: evaluating the modules was a long one.
setTimeout(start, 0, root);
