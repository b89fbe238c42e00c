import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { systemMetricsStream } from "#contract/system.ts";
import { openLiveStream } from "#console/lib/live-stream.ts";
import { systemKeys } from "#console/lib/query-keys.ts";

/** Each message replaces the cached metrics; polling continues (docs/console.md#intervals). */
export function useMetricsStream(): void {
  const queryClient = useQueryClient();
  useEffect(
    () =>
      openLiveStream(systemMetricsStream, {
        onMessage: (metrics) => queryClient.setQueryData(systemKeys.metrics, metrics),
        onState: (state) => {
          // A failed metrics stream is only logged, since polling replaces it.
          // oxlint-disable-next-line no-console
          if (state === "lost") console.debug("The metrics stream has failed; polling continues.");
        },
      }),
    [queryClient],
  );
}
