import process from "node:process";
import type { createLogUpdate } from "log-update";
import { replaceHidden } from "#service/hidden-characters.ts";

/** Prints one JSON document, or lines for people, in which foreign text cannot control the terminal. */
export function print(
  { json }: { readonly json?: boolean },
  value: unknown,
  lines: () => readonly string[],
): void {
  const printed =
    json === true
      ? [JSON.stringify(value, null, 2)]
      : lines().map((line) => replaceHidden(line, ""));
  process.stdout.write(printed.map((line) => `${line}\n`).join(""));
}

/** Columns as wide as their longest cell; nothing without rows. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const clean = [head, ...rows].map((row) => row.map((cell) => replaceHidden(cell, "")));
  const widths = head.map((_, index) => Math.max(...clean.map((row) => row[index]?.length ?? 0)));
  return clean.map((row) =>
    row
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

const BAR_WIDTH = 16;
const REDRAW_AFTER_MS = 100;

/** `percentage` from 0 to 100. */
export function bar(percentage: number): string {
  const filled = Math.round((percentage / 100) * BAR_WIDTH);
  return "█".repeat(filled) + "░".repeat(BAR_WIDTH - filled);
}

export type ProgressLines = {
  /** Replaces what a terminal shows; `plain`, if given, is printed elsewhere when it changes. */
  show(lines: readonly string[], plain?: string): void;
  end(): void;
};

/** For a command that only watches: who ends it hears that the service goes on. */
export function sayAtInterrupt(sentence: string): { readonly [Symbol.dispose]: () => void } {
  const say = () => {
    process.stderr.write(`\n${sentence}\n`);
    process.exit(INTERRUPTED);
  };
  process.once("SIGINT", say);
  return { [Symbol.dispose]: () => void process.off("SIGINT", say) };
}

/** As a shell reports a command that SIGINT ended. */
const INTERRUPTED = 130;

/** On standard error: live lines on a terminal, else plain ones; none with `--json`. */
export async function openProgress({ json }: { readonly json?: boolean }): Promise<ProgressLines> {
  let last: string | undefined;
  let shown: readonly string[] = [];
  let timer: NodeJS.Timeout | undefined;
  let log: ReturnType<typeof createLogUpdate> | undefined;
  if (process.stderr.isTTY && json !== true)
    log = (await import("log-update")).createLogUpdate(process.stderr);
  return {
    show(lines, plain) {
      if (log !== undefined) {
        shown = lines;
        timer ??= setTimeout(() => {
          timer = undefined;
          const width = process.stderr.columns || 80;
          const cut = (line: string) =>
            Array.from(replaceHidden(line, "")).slice(0, width).join("");
          log?.(shown.map(cut).join("\n"));
        }, REDRAW_AFTER_MS);
      } else if (json !== true && plain !== undefined && plain !== last)
        process.stderr.write(`${replaceHidden((last = plain), "")}\n`);
    },
    end() {
      clearTimeout(timer);
      log?.clear();
    },
  };
}
