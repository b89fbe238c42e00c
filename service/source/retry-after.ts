/** Longer delays are assumed to be mistakes. */
const MAX_WAIT_MS = 24 * 60 * 60_000;

/**
 * Reads the delay that a response asks for: `Retry-After` in seconds or as a date (RFC 9110 section
 * 10.2.3), or Helix's `Ratelimit-Reset` in Unix seconds. Null if it is missing or invalid.
 */
export function readRetryAfterMs(headers: Headers, nowMs: number): number | null {
  const retryAfter = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(retryAfter)) return clampWait(Number(retryAfter) * 1_000);
  // `Date.parse` takes other text for a date, too, such as "-5".
  if (/^[a-z]{3,9},? /i.test(retryAfter)) {
    const atMs = Date.parse(retryAfter);
    if (!Number.isNaN(atMs)) return clampWait(atMs - nowMs);
  }
  const reset = headers.get("ratelimit-reset")?.trim() ?? "";
  return /^\d{1,12}$/.test(reset) ? clampWait(Number(reset) * 1_000 - nowMs) : null;
}

/** At least a second, so that a clock that runs ahead of Twitch's does not cause a tight loop. */
function clampWait(ms: number): number {
  return Math.min(Math.max(ms, 1_000), MAX_WAIT_MS);
}
