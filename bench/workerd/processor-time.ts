import { readFileSync } from "node:fs";
import process from "node:process";

/** Linux counts CPU time in hundredths of a second (sysconf _SC_CLK_TCK). */
const MS_PER_TICK = 10;

export type ProcessorTime = { readonly userMs: number; readonly systemMs: number };

/**
 * CPU time of all threads of workerd since its start: one runs the JavaScript of the Worker and of
 * the emulated bindings. System time is the kernel's, for sockets and files.
 */
export function workerdTime(): ProcessorTime {
  const children = readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, "utf8");
  const pid = children
    .trim()
    .split(" ")
    .find((child) => readFileSync(`/proc/${child}/comm`, "utf8").trim() === "workerd");
  if (pid === undefined) throw new Error("workerd does not run");
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // Fields 14 and 15 of proc(5).
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return { userMs: user * MS_PER_TICK, systemMs: system * MS_PER_TICK };
}
