import { createStore, useSelector } from "@tanstack/react-store";
import { apiAddress } from "./api-address.ts";
import { useOnline } from "./online.ts";

/** `Failing`: it answers, but with errors. */
export type ServerStatus = "Online" | "Offline" | "Failing";

/** A single fault may be specific to its call or momentary. */
const FAULTS_IN_A_ROW = 2;

/** After this time without an answer the server is asked; a first fault is confirmed sooner. */
const QUIET_MS = 3_000;
const CONFIRM_AFTER_MS = 1_000;

/**
 * The server's status, derived from the answers to the console's requests, and while there are none
 * from `ping`: it resolves with the HTTP status of a request that needs nothing but the process,
 * null if that can't be reached.
 *
 * **Online** until two faults in a row; **Offline** or **Failing** by the last of them; Online again
 * after any answer. A ping's answer ends only what unreachable requests or failed pings began: a
 * server that fails its reads may run well.
 */
export function createServerStatus(ping: () => Promise<number | null>) {
  let faults = 0;
  let isAway = false;
  let isAsking = false;
  let heardAtMs = -Infinity;
  const store = createStore<ServerStatus>("Online");

  function noteAnswer(): void {
    heardAtMs = performance.now();
    faults = 0;
    isAway = false;
    store.setState(() => "Online");
  }

  function noteFault(kind: Exclude<ServerStatus, "Online">): void {
    heardAtMs = performance.now();
    faults += 1;
    isAway ||= kind === "Offline";
    if (faults >= FAULTS_IN_A_ROW) store.setState(() => kind);
  }

  return {
    store,
    noteAnswer,
    noteFault,
    /** Asks the server if it is time. Call every second while the status is shown. */
    async check(): Promise<void> {
      const pauseMs = faults === 1 ? CONFIRM_AFTER_MS : QUIET_MS;
      if (isAsking || performance.now() - heardAtMs < pauseMs) return;
      isAsking = true;
      const status = await ping();
      isAsking = false;
      if (status === null) noteFault("Offline");
      else if (status >= 500) {
        noteFault("Failing");
        isAway = true;
      } else if (isAway) noteAnswer();
      else heardAtMs = performance.now();
    },
  };
}

async function pingServer(): Promise<number | null> {
  try {
    const signal = AbortSignal.timeout(QUIET_MS);
    return (await fetch(apiAddress("/healthz"), { cache: "no-store", signal })).status;
  } catch {
    return null;
  }
}

export const serverStatus = createServerStatus(pingServer);

/** Also Offline while the browser has no network. */
export function useServerStatus(): ServerStatus {
  const status = useSelector(serverStatus.store);
  return useOnline() ? status : "Offline";
}
