import process from "node:process";

/**
 * Tells the program that started this one where it serves, and ends with that program, however that
 * ends: also when it is gone before this one serves.
 */
export function reportToParent(addresses: Readonly<Record<string, string>>): void {
  process.once("disconnect", () => process.exit(0));
  // Ctrl+C in a terminal reaches the whole group; the parent decides when we go.
  process.on("SIGINT", () => undefined);
  if (!process.connected) process.exit(0);
  process.send?.(addresses, (error: Error | null) => {
    if (error !== null) process.exit(0);
  });
}
