/**
 * Speed limits by the real clock. Everything with the same key shares one limit, so six connections
 * to a paced VOD are together no faster than one.
 */
export type Pacer = {
  /** Milliseconds to wait before `sizeBytes` may go out. */
  reserve(key: string, bytesPerSecond: number, sizeBytes: number): number;
};

/** Unused time is not saved up beyond this, or a pause would be followed by a burst. */
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
