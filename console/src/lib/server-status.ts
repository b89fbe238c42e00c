import { useSyncExternalStore } from "react";
import { useOnline } from "./online.ts";

/** `Failing`: it answers, but with errors. */
export type ServerStatus = "Online" | "Offline" | "Failing";

/** A single fault may be specific to its call or momentary; each query is tried twice. */
const FAULTS_IN_A_ROW = 2;

/** The server's status, derived from the answers to the console's requests. */
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

/** Also Offline while the browser has no network. */
export function useServerStatus(): ServerStatus {
  const status = useSyncExternalStore(serverStatus.subscribe, serverStatus.status);
  return useOnline() ? status : "Offline";
}
