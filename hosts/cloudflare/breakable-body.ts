import type { BreakableBody } from "#service/ports/breakable-body.ts";

/**
 * The runtime pipes the bytes itself: no chunk of a stored file passes through JavaScript, and the
 * announced length is kept.
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
