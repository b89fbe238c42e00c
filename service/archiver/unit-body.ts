import type { DirectBody } from "#service/ports/receive.ts";
import type { BufferPool } from "#service/storage/buffer-pool.ts";
import { UnitFault } from "./unit-fault.ts";

/**
 * A unit is buffered whole before its first byte goes into a part, so that no truncated or
 * oversized unit is stored. Ten seconds at 100 Mb/s are 125 MB. Larger units do not occur on
 * Twitch; refusing them bounds memory.
 */
export const MAX_UNIT_BYTES = 128 * 1024 * 1024;

/** Initial buffer size for a body without Content-Length. */
const UNKNOWN_LENGTH_BYTES = 4 * 1024 * 1024;

type PooledBytes = { readonly bytes: Uint8Array; readonly buffer: Uint8Array };

/** Bytes of a whole unit inside a pooled buffer, and the address they came from. */
export type UnitBody = PooledBytes & { readonly url: string };

/**
 * Reads `body` whole. `expectedBytes` is the length known from the headers or the byte range; null
 * if unknown.
 * @throws {UnitFault} `unavailable` for a body shorter than expected, e.g. after a broken
 *   connection; `unexpected` for one longer than expected or than {@link MAX_UNIT_BYTES}
 */
export async function readBody(
  body: ReadableStream<Uint8Array>,
  expectedBytes: number | null,
  pool: BufferPool,
  onBytes: (count: number) => void,
): Promise<PooledBytes> {
  const reader = body.getReader();
  let buffer = pool.take(expectedBytes ?? UNKNOWN_LENGTH_BYTES);
  let filled = 0;
  const limit = expectedBytes ?? MAX_UNIT_BYTES;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      onBytes(value.byteLength);
      if (filled + value.byteLength > limit) {
        throw new UnitFault("unexpected", `it is longer than the expected ${limit} bytes`);
      }
      if (filled + value.byteLength > buffer.byteLength) {
        const larger = pool.take(Math.min(MAX_UNIT_BYTES, buffer.byteLength * 2));
        larger.set(buffer.subarray(0, filled));
        pool.give(buffer);
        buffer = larger;
      }
      buffer.set(value, filled);
      filled += value.byteLength;
    }
    if (expectedBytes !== null && filled !== expectedBytes) {
      throw new UnitFault("unavailable", `only ${filled} of ${expectedBytes} bytes arrived`);
    }
  } catch (error) {
    pool.give(buffer);
    // The connection is no longer needed; errors of cancelling do not matter.
    reader.cancel().catch(() => undefined);
    throw error;
  }
  return { bytes: buffer.subarray(0, filled), buffer };
}

/** The same for a body that the host writes into the buffer. Rejects when the connection breaks. */
export async function receiveDirectBody(
  body: DirectBody,
  pool: BufferPool,
  onBytes: (count: number) => void,
): Promise<PooledBytes> {
  const buffer = pool.take(body.sizeBytes);
  const bytes = buffer.subarray(0, body.sizeBytes);
  try {
    await body.receive(bytes, onBytes);
  } catch (error) {
    pool.give(buffer);
    throw error;
  }
  return { bytes, buffer };
}
