export type Clock = {
  /** Milliseconds since 1970 in UTC; may jump. */
  now(): number;
  /** Milliseconds that never run backwards; only differences mean something. */
  monotonic(): number;
  /** Resolves after about `ms`, at once when `signal` aborts. Never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};
