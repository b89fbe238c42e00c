import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { systemMetrics, systemMetricsStream } from "#contract/system.ts";
import { openLiveStream } from "#console/lib/live-stream.ts";
import { keyOf } from "#console/lib/call-query.ts";

/** Each message replaces the cached metrics; polling continues (docs/console.md#intervals). */
export function useMetricsStream(): void {
  const queryClient = useQueryClient();
  useEffect(
    () =>
      openLiveStream(systemMetricsStream, {
        onMessage: (metrics) => queryClient.setQueryData(keyOf(systemMetrics), metrics),
        onState: (state) => {
          // A failed metrics stream is only logged, since polling replaces it.
          // oxlint-disable-next-line no-console
          if (state === "lost") console.debug("The metrics stream has failed; polling continues.");
        },
      }),
    [queryClient],
  );
}
