const encoder = new TextEncoder();

/**
 * One unnamed event (HTML standard, server-sent events). JSON holds no line break, so its text
 * always fits one `data` line.
 */
export function sseMessage(id: number, json: string): Uint8Array {
  return encoder.encode(`id: ${id}\ndata: ${json}\n\n`);
}

/** First words of a stream: when to come back after a cut. */
export function sseRetry(retryMs: number): Uint8Array {
  return encoder.encode(`retry: ${retryMs}\n\n`);
}

/** What a reader says it saw last; null when that is nothing we could have sent. */
export function readLastEventId(header: string): number | null {
  const id = /^\d{1,16}$/.test(header) ? Number(header) : Number.NaN;
  return Number.isSafeInteger(id) ? id : null;
}
