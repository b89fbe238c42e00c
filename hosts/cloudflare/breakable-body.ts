import type { BreakableBody } from "#service/ports/breakable-body.ts";

/**
 * The runtime itself moves the bytes: no chunk of a stored file passes through our code, and the
 * length that was announced stays announced.
 */
export function breakable(
  source: ReadableStream<Uint8Array>,
  sizeBytes: number,
  signal: AbortSignal,
): BreakableBody {
  const { readable, writable } = new FixedLengthStream(sizeBytes);
  const ended = source.pipeTo(writable, { signal }).catch(() => undefined);
  return { body: readable, ended };
}
