import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** A child process that prints one line of JSON when it is ready. */
export type Child = {
  readonly process: ChildProcess;
  readonly ready: Readonly<Record<string, unknown>>;
  readonly startedAtMs: number;
  /** Sends SIGKILL and waits until the process is gone. */
  kill(): Promise<void>;
  /** Sends SIGTERM and waits for an orderly exit. */
  stop(): Promise<void>;
};

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Of programs that start from their sources. */
export const BASE_ENVIRONMENT = {
  PATH: process.env.PATH,
  NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
};

/** Longer than any start, even on a busy machine. */
const READY_WITHIN_MS = 180_000;

/** Another user of this machine, with a Node that it may run and a folder that it may enter. */
export type OtherUser = {
  readonly uid: number;
  readonly gid: number;
  readonly node: string;
  readonly cwd: string;
};

export async function startChild(
  script: string,
  environment: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  { hasChildren = false, user }: { hasChildren?: boolean; user?: OtherUser } = {},
): Promise<Child> {
  const startedAtMs = performance.now();
  const { node, ...place } = user ?? { node: process.execPath, cwd: ROOT };
  const child = spawn(node, [script, ...args], {
    ...place,
    env: { ...BASE_ENVIRONMENT, ...environment },
    stdio: ["ignore", "pipe", "inherit"],
    // A separate process group, so that one signal ends all of it.
    detached: hasChildren,
  });
  const exited = once(child, "exit");
  const ready = await readReadyLine(child, exited, script);
  return {
    process: child,
    ready,
    startedAtMs,
    async kill() {
      if (hasChildren) await killGroup(child.pid);
      else child.kill("SIGKILL");
      await exited;
    },
    async stop() {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** Orphans that nothing reaps stay zombies, which hold no files and are not waited for. */
const GONE_WITHIN_MS = 1_000;

/** Files are free for the next process only once the whole group has ended. */
async function killGroup(leaderId: number | undefined): Promise<void> {
  if (leaderId === undefined) return;
  const giveUpMs = performance.now() + GONE_WITHIN_MS;
  while (signalled(-leaderId) && performance.now() < giveUpMs) await pause(10);
}

function signalled(processId: number): boolean {
  try {
    return process.kill(processId, "SIGKILL");
  } catch {
    return false;
  }
}

async function readReadyLine(
  child: ChildProcess,
  exited: Promise<unknown>,
  script: string,
): Promise<Record<string, unknown>> {
  if (child.stdout === null) throw new Error("The child has no output to read");
  const lines = createInterface({ input: child.stdout });
  const found = new Promise<Record<string, unknown>>((resolve) => {
    lines.on("line", (line) => {
      const message = parseRecord(line);
      if (message?.ready === true) resolve(message);
    });
  });
  const timeout = AbortSignal.timeout(READY_WITHIN_MS);
  const late = once(timeout, "abort").then(() => {
    throw new Error(`${script} was not ready within ${READY_WITHIN_MS} ms`);
  });
  const gone = exited.then(() => {
    throw new Error(`${script} ended before it was ready`);
  });
  late.catch(() => undefined);
  gone.catch(() => undefined);
  return await Promise.race([found, late, gone]);
}

function parseRecord(line: string): Record<string, unknown> | null {
  if (!line.startsWith("{")) return null;
  const parsed: unknown = JSON.parse(line);
  return typeof parsed === "object" && parsed !== null ? { ...parsed } : null;
}
