import { useState } from "react";
import { messageOf } from "#console/lib/api-error.ts";
import { MissingScript } from "#console/lib/load-script.ts";
import { ErrorState } from "./error-state.tsx";

const AWAY =
  "The server can't be reached, or the console has been updated since this page was opened.";

/**
 * Replaces a part that failed; the rest of the console stays usable. Retry reloads the page,
 * because browsers cache a script's failure and a newer build has other scripts. It first checks
 * that the server answers: the browser's own error page would not recover.
 */
export function BrokenPart({ title, error }: { readonly title: string; readonly error: unknown }) {
  const [isRetrying, setRetrying] = useState(false);
  async function retry() {
    setRetrying(true);
    try {
      const { ok } = await fetch(window.location.href, { method: "HEAD", cache: "no-store" });
      if (ok) return window.location.reload();
    } catch {
      // Still unreachable.
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
