/**
 * Speed limits in real time. All users of a key share one limit, so that six connections to a paced
 * VOD are no faster than one.
 */
export type Pacer = {
  /** Milliseconds to wait before `sizeBytes` may be sent. */
  reserve(key: string, bytesPerSecond: number, sizeBytes: number): number;
};

/** Idle time is credited only up to this, so that no burst follows a pause. */
const SLACK_MS = 50;

export function createPacer(): Pacer {
  const freeAt = new Map<string, number>();
  return {
    reserve(key, bytesPerSecond, sizeBytes) {
      const nowMs = performance.now();
      const startMs = Math.max(nowMs - SLACK_MS, freeAt.get(key) ?? 0);
      const endMs = startMs + (sizeBytes / bytesPerSecond) * 1_000;
      freeAt.set(key, endMs);
      return Math.max(0, endMs - nowMs);
    },
  };
}
