import process from "node:process";

/**
 * Reports the served addresses to the parent process, and ends this process when the parent ends,
 * even if it has already ended.
 */
export function reportToParent(addresses: Readonly<Record<string, string>>): void {
  process.once("disconnect", () => process.exit(0));
  // Ctrl+C in a terminal reaches the whole process group; the parent decides when this one ends.
  process.on("SIGINT", () => undefined);
  if (!process.connected) process.exit(0);
  process.send?.(addresses, (error: Error | null) => {
    if (error !== null) process.exit(0);
  });
}
