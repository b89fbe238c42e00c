import type { ErrorComponentProps } from "@tanstack/react-router";
import { messageOf } from "#console/lib/api-error.ts";
import { ErrorState } from "#console/ui/error-state.tsx";
import { Page } from "#console/ui/page.tsx";

/** What a screen shows that broke; the rest of the console stays usable. */
export function RouteError({ error, reset }: ErrorComponentProps) {
  return (
    <Page title="Something went wrong">
      <ErrorState
        title="This screen could not be shown"
        message={messageOf(error)}
        onRetry={reset}
      />
    </Page>
  );
}
