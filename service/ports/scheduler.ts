/** Runs periodic tasks. Runs of a task never overlap; a failed run does not stop later ones. */
export type Scheduler = {
  every(intervalMs: number, name: string, run: () => Promise<void>): void;
};
