/** May forget and may be stale by a minute: never for sessions, locks or counters. */
export type Cache = {
  get(key: string): Promise<string | null>;
  set(key: string, value: string, timeToLiveMs: number): Promise<void>;
  /** Returns how many entries were dropped. */
  clear(): Promise<number>;
};
