import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { SERVER_ALLOCATOR, SERVER_FLAGS } from "../../scripts/server-memory.mjs";
import { hostReportSchema, type HostOrder, type HostReport } from "./live-messages.ts";

export type LiveHost = {
  readonly port: number;
  measure(): Promise<Extract<HostReport, { kind: "measured" }>>;
  /** Returns how many events the host has published in total. */
  publish(perSecond: number, seconds: number, uploads: number): Promise<number>;
  end(): void;
};

/** Starts the node host in a separate process, which publishes and measures on command. */
export async function startHost(): Promise<LiveHost> {
  const child = startProcess("host-process.ts", [...SERVER_FLAGS, "--expose-gc"]);
  const ask = async (order: HostOrder | null): Promise<HostReport> => {
    const answer = nextMessage(child);
    if (order !== null) child.send(order);
    return hostReportSchema.parse(await answer);
  };
  const ready = await ask(null);
  if (ready.kind !== "ready") throw new Error("The host did not start");
  return {
    port: ready.port,
    async measure() {
      const report = await ask({ kind: "measure" });
      if (report.kind !== "measured") throw new Error("The host did not measure");
      return report;
    },
    async publish(perSecond: number, seconds: number, uploads: number) {
      const report = await ask({ kind: "publish", perSecond, seconds, uploads });
      if (report.kind !== "published") throw new Error("The host did not publish");
      return report.events;
    },
    end: () => endProcess(child),
  };
}

export function startProcess(script: string, execArgv: readonly string[]): ChildProcess {
  return fork(fileURLToPath(new URL(script, import.meta.url)), [], {
    execArgv: [...execArgv],
    env: { ...process.env, ...SERVER_ALLOCATOR },
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
}

export function endProcess(child: ChildProcess): void {
  if (child.connected) child.disconnect();
}

export async function nextMessage(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  const gone = once(child, "exit", { signal: ended.signal }).then(() => {
    throw new Error("A process of the bench ended");
  });
  gone.catch(() => undefined);
  const received = once(child, "message", { signal: ended.signal }).then(
    ([message]: unknown[]) => message,
  );
  received.catch(() => undefined);
  try {
    return await Promise.race([received, gone]);
  } finally {
    ended.abort();
  }
}
