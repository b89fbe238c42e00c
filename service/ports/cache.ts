/** Entries may disappear and may be stale by a minute: not for sessions, locks or counters. */
export type Cache = {
  get(key: string): Promise<string | null>;
  set(key: string, value: string, timeToLiveMs: number): Promise<void>;
  /** Returns the number of dropped entries. */
  clear(): Promise<number>;
};
