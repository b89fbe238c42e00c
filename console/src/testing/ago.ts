const NOW_MS = Date.parse("2026-11-23T12:00:00.000Z");

/** The time this many minutes before the samples' present. */
export function ago(minutes: number): string {
  return new Date(NOW_MS - minutes * 60_000).toISOString();
}
