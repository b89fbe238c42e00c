import { useState } from "react";
import { messageOf } from "#console/lib/api-error.ts";
import { MissingScript } from "#console/lib/load-script.ts";
import { ErrorState } from "./error-state.tsx";

const AWAY =
  "The server can't be reached, or the console has been updated since this page was opened.";

/**
 * Replaces a part that failed; the rest of the console stays usable. If `onRetry` fails, Retry
 * reloads the page: some browsers cache a script's failure, and a newer build has other scripts. It
 * first checks that the server answers: the browser's own error page would not recover.
 */
export function BrokenPart({
  title,
  error,
  onRetry = () => Promise.reject(error),
}: {
  readonly title: string;
  readonly error: unknown;
  readonly onRetry?: () => Promise<void>;
}) {
  const [isRetrying, setRetrying] = useState(false);
  async function retry() {
    setRetrying(true);
    await onRetry().catch(reloadIfAnswered);
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

async function reloadIfAnswered(): Promise<void> {
  try {
    const { ok } = await fetch(window.location.href, { method: "HEAD", cache: "no-store" });
    if (ok) window.location.reload();
  } catch {
    // Still unreachable.
  }
}
