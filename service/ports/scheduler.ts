/** The sweeper's heartbeat. Runs never overlap; a throwing run does not stop the next one. */
export type Scheduler = {
  every(intervalMs: number, name: string, run: () => Promise<void>): void;
};
