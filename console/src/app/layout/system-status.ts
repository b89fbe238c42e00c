import { useQuery } from "@tanstack/react-query";
import { inboxQuery } from "#console/features/notifications/inbox-queries.ts";
import { useServerStatus, type ServerStatus } from "#console/lib/server-status.ts";

/** Online only while the server answers and nothing is unhealthy. Only the bell asks for the answer. */
export function useSystemStatus(): ServerStatus | "Unhealthy" {
  const { data } = useQuery({ ...inboxQuery(), enabled: false });
  const status = useServerStatus();
  return status === "Online" && data?.systemStatus === "unhealthy" ? "Unhealthy" : status;
}
