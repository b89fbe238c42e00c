import { readdirSync, readFileSync } from "node:fs";
import process from "node:process";

/** Clock ticks of `/proc` are hundredths of a second on every Linux. */
const TICK_MS = 10;

const SAMPLE_EVERY_MS = 1_000;

/**
 * Processes that were started, directly or not, by a followed program, with their own time.
 * @type {Map<number, { program: number, ms: number }>}
 */
const seen = new Map();

/** Of all children that have ended, at the end of the last one. */
let reapedMs = 0;

/** @type {NodeJS.Timeout | undefined} */
let timer;

/**
 * Measures the processor time of a child of this process until it ends; 0 except on Linux.
 *
 * The kernel adds the time of those processes alone that their parents wait for, which the parts of
 * a browser are not. Samples have these, but not what ends between two of them. The larger counts.
 * @param {import("node:child_process").ChildProcess} child
 * @returns {{ ms: number }} once the child has ended
 */
export function followCpu(child) {
  const spent = { ms: 0 };
  const { pid } = child;
  if (process.platform !== "linux" || pid === undefined) return spent;
  seen.set(pid, { program: pid, ms: 0 });
  timer ??= setInterval(sample, SAMPLE_EVERY_MS).unref();
  child.once("exit", () => {
    const [, endedMs] = timesOf("self");
    const sampled = [...seen.values()].filter(({ program }) => program === pid);
    spent.ms = Math.max(
      endedMs - reapedMs,
      sampled.reduce((sum, { ms }) => sum + ms, 0),
    );
    reapedMs = endedMs;
  });
  return spent;
}

function sample() {
  for (const pid of readdirSync("/proc").map(Number).filter(Number.isInteger))
    try {
      const [ms, , parent] = timesOf(pid);
      const program = (seen.get(pid) ?? seen.get(parent))?.program;
      if (program !== undefined) seen.set(pid, { program, ms });
    } catch {
      // It has ended meanwhile.
    }
}

/**
 * Its own time, that of its children that it has waited for, and its parent (proc_pid_stat(5)).
 * @param {number | "self"} pid
 * @returns {readonly [ownMs: number, reapedMs: number, parent: number]}
 */
function timesOf(pid) {
  // From the third field on; the second is a name in brackets.
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  const ms = (/** @type {number} */ at) => Number(fields[at]) * TICK_MS;
  return [ms(11) + ms(12), ms(13) + ms(14), Number(fields[1])];
}
