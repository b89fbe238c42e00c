import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";

export type Measured = {
  readonly wallSec: number;
  readonly cpuSec: number;
  readonly peakBytes: number;
};

/** Interval of reading the process's statistics; its last moments may be missed. */
const SAMPLE_MS = 20;

/** Linux counts CPU time in hundredths of a second (sysconf _SC_CLK_TCK). */
const TICKS_PER_SEC = 100;

/** Runs a command and measures it from outside. @throws when it fails */
export async function measure(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Measured> {
  const startedMs = performance.now();
  const child = spawn(command, args, {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, ...environment },
  });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => {
    errors = (errors + chunk.toString()).slice(-2_000);
  });
  const exited = once(child, "exit");
  const running = new AbortController();
  let cpuSec = 0;
  let peakBytes = 0;
  const sampling = (async () => {
    while (!running.signal.aborted) {
      const sample = await readProcess(child.pid ?? 0);
      if (sample !== null) {
        cpuSec = sample.cpuSec;
        peakBytes = Math.max(peakBytes, sample.peakBytes);
      }
      await pause(SAMPLE_MS);
    }
  })();
  const [code]: unknown[] = await exited;
  const wallSec = (performance.now() - startedMs) / 1_000;
  running.abort();
  await sampling;
  if (code !== 0) throw new Error(`${command} ended with ${String(code)}: ${errors}`);
  return { wallSec, cpuSec, peakBytes };
}

async function readProcess(pid: number): Promise<{ cpuSec: number; peakBytes: number } | null> {
  try {
    const [stat, status] = await Promise.all([
      readFile(`/proc/${pid}/stat`, "utf8"),
      readFile(`/proc/${pid}/status`, "utf8"),
    ]);
    // Fields 14 to 17 of proc(5): user and system time, own and of waited-for children.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
    const peakKb = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0);
    return { cpuSec: ticks / TICKS_PER_SEC, peakBytes: peakKb * 1024 };
  } catch {
    // The process has ended.
    return null;
  }
}
