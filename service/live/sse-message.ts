const encoder = new TextEncoder();

/**
 * One unnamed event (HTML standard, server-sent events). JSON holds no line break, so its text
 * always fits one `data` line.
 */
export function sseMessage(id: number, json: string): Uint8Array {
  return encoder.encode(`id: ${id}\ndata: ${json}\n\n`);
}

/** The first message of a stream: the reconnection delay. */
export function sseRetry(retryMs: number): Uint8Array {
  return encoder.encode(`retry: ${retryMs}\n\n`);
}

/** The id a reader saw last; null if it cannot be one of ours. */
export function readLastEventId(header: string): number | null {
  const id = /^\d{1,16}$/.test(header) ? Number(header) : Number.NaN;
  return Number.isSafeInteger(id) ? id : null;
}
