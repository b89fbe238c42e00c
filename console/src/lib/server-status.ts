import { useSyncExternalStore } from "react";
import { useOnline } from "./online.ts";

/** `Failing`: it answers, but with faults. */
export type ServerStatus = "Online" | "Offline" | "Failing";

/** One fault may be one call's own, or a moment's; each query is tried twice. */
const FAULTS_IN_A_ROW = 2;

/** What the answers to the console's questions say about the server. */
export function createServerStatus() {
  let faults = 0;
  let status: ServerStatus = "Online";
  const listeners = new Set<() => void>();

  function set(next: ServerStatus): void {
    if (next === status) return;
    status = next;
    for (const listener of listeners) listener();
  }
  return {
    status: () => status,
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    noteAnswer(): void {
      faults = 0;
      set("Online");
    },
    noteFault(kind: Exclude<ServerStatus, "Online">): void {
      faults += 1;
      if (faults >= FAULTS_IN_A_ROW) set(kind);
    },
  };
}

export const serverStatus = createServerStatus();

/** Offline also while the browser has no network at all. */
export function useServerStatus(): ServerStatus {
  const status = useSyncExternalStore(serverStatus.subscribe, serverStatus.status);
  return useOnline() ? status : "Offline";
}
