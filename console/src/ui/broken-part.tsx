import { useState } from "react";
import { messageOf } from "#console/lib/api-error.ts";
import { MissingScript } from "#console/lib/load-script.ts";
import { ErrorState } from "./error-state.tsx";

const AWAY =
  "The server can't be reached, or the console has been updated since this page was opened.";

/**
 * Stands in for what broke; the rest of the console stays usable. Retry loads the page anew,
 * because browsers keep a script's failure and a newer build has other scripts, and only once the
 * server answers: the browser's own error page would stay for good.
 */
export function BrokenPart({ title, error }: { readonly title: string; readonly error: unknown }) {
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
    <ErrorState
      title={title}
      message={error instanceof MissingScript ? AWAY : messageOf(error)}
      onRetry={() => void retry()}
      retrying={isRetrying}
    />
  );
}
