import type { ErrorComponentProps } from "@tanstack/react-router";
import { BrokenPart } from "#console/ui/broken-part.tsx";
import { Page } from "#console/ui/page.tsx";

/** Shown in place of a screen that threw. */
export function RouteError({ error }: ErrorComponentProps) {
  return (
    <Page title="Something went wrong">
      <BrokenPart title="This screen could not be shown" error={error} />
    </Page>
  );
}
