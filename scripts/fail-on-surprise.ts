import { format } from "node:util";
import { afterAll, afterEach } from "vitest";

/*
 * Setup of every test file. It fails on what Vitest ignores: console messages, runtime warnings,
 * and timers that would keep the process alive after the file. Vitest's own settings make it fail
 * on unhandled rejections and on tests without an assertion.
 */

const surprises: string[] = [];
/** Maps each timer to its stack, which is only formatted at the end: that takes a tenth of the run. */
const timers = new Map<NodeJS.Timeout, Error>();
/** Undo what this setup changed, since the next file may run in the same process. */
const restores: (() => void)[] = [];

for (const level of ["error", "warn"] as const)
  console[level] = (...words: unknown[]) => {
    surprises.push(`console.${level}: ${format(...words)}`);
  };

function addWarning(warning: Error): void {
  surprises.push(String(warning));
}
process.on("warning", addWarning);
restores.push(() => process.off("warning", addWarning));

// Vitest keeps the original functions, so that only timers of tests are watched.
for (const name of ["setTimeout", "setInterval"] as const)
  replaceGlobal(name, {
    apply(start, self, [callback, ...rest]: [(...args: unknown[]) => void, ...unknown[]]) {
      const run = (...args: unknown[]): void => {
        if (name === "setTimeout") timers.delete(timer);
        callback(...args);
      };
      const timer: NodeJS.Timeout = Reflect.apply(start, self, [run, ...rest]);
      timers.set(timer, new Error("started"));
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

// These hooks run after those of the tests, which have closed their resources by then.
afterEach(() => {
  const found = surprises.splice(0);
  if (found.length > 0) throw new Error(found.join("; "));
});

afterAll(() => {
  const left = [...timers]
    .filter(([timer]) => timer.hasRef())
    .map(([, { stack }]) => stack?.split("\n")[2]?.trim() ?? "unknown")
    // Tests need not stop timers that belong to libraries.
    .filter((startedBy) => !startedBy.includes("/node_modules/"));
  for (const restore of restores) restore();
  if (left.length > 0)
    throw new Error(`${left.length} timers were left running: ${left.join("; ")}`);
});

function replaceGlobal<
  Name extends "setTimeout" | "setInterval" | "clearTimeout" | "clearInterval",
>(name: Name, handler: ProxyHandler<(typeof globalThis)[Name]>): void {
  const original = globalThis[name];
  Reflect.set(globalThis, name, new Proxy(original, handler));
  restores.push(() => Reflect.set(globalThis, name, original));
}
