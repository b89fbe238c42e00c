import { createStore, useSelector } from "@tanstack/react-store";
import { useOnline } from "./online.ts";

/** `Failing`: it answers, but with errors. */
export type ServerStatus = "Online" | "Offline" | "Failing";

/** A single fault may be specific to its call or momentary; each query is tried twice. */
const FAULTS_IN_A_ROW = 2;

/** The server's status, derived from the answers to the console's requests. */
export function createServerStatus() {
  let faults = 0;
  const store = createStore<ServerStatus>("Online");
  return {
    store,
    noteAnswer(): void {
      faults = 0;
      store.setState(() => "Online");
    },
    noteFault(kind: Exclude<ServerStatus, "Online">): void {
      faults += 1;
      if (faults >= FAULTS_IN_A_ROW) store.setState(() => kind);
    },
  };
}

export const serverStatus = createServerStatus();

/** Also Offline while the browser has no network. */
export function useServerStatus(): ServerStatus {
  const status = useSelector(serverStatus.store);
  return useOnline() ? status : "Offline";
}
