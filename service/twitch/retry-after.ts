/** A source that asks for more than a day has made a mistake: we ask again after a day. */
const MAX_WAIT_MS = 24 * 60 * 60_000;

/**
 * How long an answer asks us to wait: `Retry-After` in seconds or as a date (RFC 9110 section
 * 10.2.3), or Helix's `Ratelimit-Reset` in Unix seconds. Null when it does not say, or says
 * nonsense.
 */
export function readRetryAfterMs(headers: Headers, nowMs: number): number | null {
  const retryAfter = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}$/.test(retryAfter)) return clampWait(Number(retryAfter) * 1_000);
  if (retryAfter !== "") {
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
