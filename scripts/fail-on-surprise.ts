import { format } from "node:util";
import { afterAll, afterEach } from "vitest";

/*
 * Set up for every test file. What Vitest lets pass without a word fails here: a message on the
 * console, a warning of the runtime, and a timer that would keep the process alive after its file.
 * Unhandled rejections and tests without an assertion fail by Vitest's own settings.
 */

const surprises: string[] = [];
/** Each with the line that started it. */
const timers = new Map<NodeJS.Timeout, string>();

for (const level of ["error", "warn"] as const)
  console[level] = (...words: unknown[]) => {
    surprises.push(`console.${level}: ${format(...words)}`);
  };

process.on("warning", (warning) => surprises.push(String(warning)));

// Vitest keeps the functions that were there before, so that only what tests start is watched.
for (const name of ["setTimeout", "setInterval"] as const)
  replaceGlobal(name, {
    apply(start, self, [callback, ...rest]: [(...args: unknown[]) => void, ...unknown[]]) {
      const run = (...args: unknown[]): void => {
        if (name === "setTimeout") timers.delete(timer);
        callback(...args);
      };
      const timer: NodeJS.Timeout = Reflect.apply(start, self, [run, ...rest]);
      const startedBy = new Error("started").stack?.split("\n")[2]?.trim() ?? "unknown";
      // What a library keeps for itself is not a test's to end.
      if (!startedBy.includes("/node_modules/")) timers.set(timer, startedBy);
      return timer;
    },
  });
for (const name of ["clearTimeout", "clearInterval"] as const)
  replaceGlobal(name, {
    apply(clear, self, [timer]: [NodeJS.Timeout]) {
      timers.delete(timer);
      Reflect.apply(clear, self, [timer]);
    },
  });

// Hooks of a setup file run after those of the tests: what these close is closed by then.
afterEach(() => {
  const found = surprises.splice(0);
  if (found.length > 0) throw new Error(found.join("; "));
});

afterAll(() => {
  const left = [...timers].filter(([timer]) => timer.hasRef());
  const startedBy = left.map(([, line]) => line).join("; ");
  if (left.length > 0) throw new Error(`${left.length} timers were left running: ${startedBy}`);
});

function replaceGlobal<
  Name extends "setTimeout" | "setInterval" | "clearTimeout" | "clearInterval",
>(name: Name, handler: ProxyHandler<(typeof globalThis)[Name]>): void {
  Reflect.set(globalThis, name, new Proxy(globalThis[name], handler));
}
