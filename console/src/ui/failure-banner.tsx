import { useQueryClient } from "@tanstack/react-query";
import { messageOf } from "#console/lib/api-error.ts";
import { FAILED } from "#console/lib/failed-queries.ts";
import { Banner } from "./banner.tsx";
import { Button } from "./button.tsx";

/** Replaces the messages of the screen's failed parts. */
export function FailureBanner() {
  const client = useQueryClient();
  const error = client.getQueryCache().findAll(FAILED)[0]?.state.error;
  return (
    <Banner
      tone="bad"
      actions={<Button onClick={() => void client.refetchQueries(FAILED)}>Retry</Button>}
    >
      Parts of this screen could not be loaded. {messageOf(error)}
    </Banner>
  );
}
