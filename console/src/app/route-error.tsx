import type { ErrorComponentProps } from "@tanstack/react-router";
import { useState } from "react";
import { messageOf } from "#console/lib/api-error.ts";
import { ErrorState } from "#console/ui/error-state.tsx";
import { Page } from "#console/ui/page.tsx";
import { MissingScreen } from "./load-screen.ts";

const AWAY =
  "The server can't be reached, or the console has been updated since this page was opened.";

/**
 * What a screen shows that broke; the rest of the console stays usable. Retry loads the page anew,
 * because browsers keep a script's failure and a newer build has other scripts, and only once the
 * server answers: the browser's own error page would stay for good.
 */
export function RouteError({ error }: ErrorComponentProps) {
  const [isRetrying, setRetrying] = useState(false);
  async function retry() {
    setRetrying(true);
    try {
      const { ok } = await fetch(window.location.href, { method: "HEAD", cache: "no-store" });
      if (ok) return window.location.reload();
    } catch {
      // Still out of reach.
    }
    setRetrying(false);
  }
  return (
    <Page title="Something went wrong">
      <ErrorState
        title="This screen could not be shown"
        message={error instanceof MissingScreen ? AWAY : messageOf(error)}
        onRetry={() => void retry()}
        retrying={isRetrying}
      />
    </Page>
  );
}
