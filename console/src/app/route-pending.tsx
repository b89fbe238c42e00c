import { Card } from "#console/ui/card.tsx";
import { Page } from "#console/ui/page.tsx";
import { Skeleton } from "#console/ui/skeleton.tsx";

/** Shown while a screen's code loads. */
export function RoutePending() {
  return (
    <Page title="Loading...">
      <Card>
        <Skeleton width="40%" />
      </Card>
    </Page>
  );
}
