import { crc32 } from "node:zlib";
import type { Clock } from "#service/ports/clock.ts";

export type Trace = ReturnType<typeof createTrace>;

const KEPT_LINES = 30;

/** What happened, for reading after a failure, and a hash of all of it for comparing two runs. */
export function createTrace(
  clock: Pick<Clock, "now">,
  startMs: number,
  print?: (line: string) => void,
) {
  const lines: string[] = [];
  let sum = 0;
  return {
    add(line: string): void {
      const text = `${((clock.now() - startMs) / 1_000).toFixed(3).padStart(9)} ${line}`;
      sum = crc32(text, sum);
      lines.push(text);
      if (print !== undefined) print(text);
      if (lines.length > 2 * KEPT_LINES) lines.splice(0, KEPT_LINES);
    },
    lastLines: () => lines.slice(-KEPT_LINES),
    hash: () => sum.toString(16).padStart(8, "0"),
  };
}
