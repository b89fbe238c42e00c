import { rmSync } from "node:fs";
import process from "node:process";

/** At a signal nothing is left at `paths`; then the process ends by it. Returns how to stop that. */
export function removeAtSignal(paths: readonly string[]): () => void {
  function stop(): void {
    process.off("SIGTERM", end).off("SIGINT", end);
  }
  function end(signal: NodeJS.Signals): void {
    for (const path of paths) rmSync(path, { recursive: true, force: true });
    stop();
    process.kill(process.pid, signal);
  }
  process.on("SIGTERM", end).on("SIGINT", end);
  return stop;
}
