import process from "node:process";
import { styleText } from "node:util";
import type { createLogUpdate } from "log-update";
import { replaceHidden } from "#service/hidden-characters.ts";

/** Prints one JSON document, or lines for people. */
export function print(
  { json }: { readonly json?: boolean },
  value: unknown,
  lines: () => readonly string[],
): void {
  const text = json === true ? JSON.stringify(value, null, 2) : lines().join("\n");
  process.stdout.write(`${text}\n`);
}

/** Columns as wide as their longest cell. Foreign text cannot move the cursor. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const clean = [head, ...rows].map((row) => row.map((cell) => replaceHidden(cell, "")));
  const widths = head.map((_, index) => Math.max(...clean.map((row) => row[index]?.length ?? 0)));
  return clean.map((row, at) => {
    const line = row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ");
    return at === 0
      ? styleText("bold", line.trimEnd(), { stream: process.stdout })
      : line.trimEnd();
  });
}

const BAR_WIDTH = 24;
const REDRAW_AFTER_MS = 100;

/** `percentage` from 0 to 100. */
export function bar(percentage: number): string {
  const filled = Math.round((percentage / 100) * BAR_WIDTH);
  return "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
}

export type Progress = {
  /** Replaces what a terminal shows; `plain`, if given, is printed elsewhere when it changes. */
  show(lines: readonly string[], plain?: string): void;
  end(): void;
};

/** On standard error: live lines on a terminal, else plain ones; none with `--json`. */
export async function openProgress({ json }: { readonly json?: boolean }): Promise<Progress> {
  let last: string | undefined;
  let drawnAtMs = 0;
  let log: ReturnType<typeof createLogUpdate> | undefined;
  if (process.stderr.isTTY && json !== true)
    log = (await import("log-update")).createLogUpdate(process.stderr);
  return {
    show(lines, plain) {
      if (log !== undefined) {
        if (Date.now() - drawnAtMs < REDRAW_AFTER_MS) return;
        drawnAtMs = Date.now();
        const width = process.stderr.columns || 80;
        log(lines.map((line) => replaceHidden(line, "").slice(0, width)).join("\n"));
      } else if (json !== true && plain !== undefined && plain !== last)
        process.stderr.write(`${replaceHidden((last = plain), "")}\n`);
    },
    end() {
      log?.clear();
    },
  };
}
