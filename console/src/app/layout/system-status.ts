import { useQuery } from "@tanstack/react-query";
import { inboxQuery } from "#console/features/notifications/inbox-queries.ts";
import { usePolling } from "#console/lib/polling.ts";
import { serverStatus, useServerStatus, type ServerStatus } from "#console/lib/server-status.ts";

/** What the server's status waits for is counted in seconds. */
const CHECK_EVERY_MS = 1_000;
const check = {
  refetch: async () => {
    if (navigator.onLine) await serverStatus.check();
  },
};

/** Online only while the server answers and nothing is unhealthy. Only the bell asks for the answer. */
export function useSystemStatus(): ServerStatus | "Unhealthy" {
  const { data } = useQuery({ ...inboxQuery(), enabled: false });
  const status = useServerStatus();
  usePolling(check, CHECK_EVERY_MS);
  return status === "Online" && data?.systemStatus === "unhealthy" ? "Unhealthy" : status;
}
