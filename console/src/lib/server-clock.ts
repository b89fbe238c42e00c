/** The header has whole seconds, and an answer takes a while: less is no difference. */
const MIN_DIFFERENCE_MS = 10_000;

let differenceMs = 0;

/** Notes how far the server's clock is ahead of the browser's. */
export function noteServerDate(headers: Headers): void {
  const serverMs = Date.parse(headers.get("date") ?? "");
  if (Number.isNaN(serverMs)) return;
  const aheadMs = serverMs - Date.now();
  differenceMs = Math.abs(aheadMs) < MIN_DIFFERENCE_MS ? 0 : aheadMs;
}

/**
 * The server's time, by which its answers are to be read: a browser's clock may be wrong by any
 * amount. The browser's own until the first answer.
 */
export function serverNowMs(): number {
  return Date.now() + differenceMs;
}
