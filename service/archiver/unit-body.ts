import type { BufferPool } from "./buffer-pool.ts";
import { UnitFault } from "./unit-fault.ts";

/**
 * A unit is buffered whole before its first byte goes into a part, so that no truncated or
 * oversized unit is stored. Ten seconds at 100 Mb/s are 125 MB. Larger units do not occur on
 * Twitch; refusing them bounds memory.
 */
export const MAX_UNIT_BYTES = 128 * 1024 * 1024;

/** Initial buffer size for a body without Content-Length. */
const UNKNOWN_LENGTH_BYTES = 4 * 1024 * 1024;

/** Bytes of a whole unit inside a pooled buffer. */
export type UnitBody = { readonly bytes: Uint8Array; readonly buffer: Uint8Array };

/**
 * Reads `body` whole. `expectedBytes` is the length known from the headers or the byte range; null
 * if unknown.
 * @throws {UnitFault} `unavailable` for a body shorter than expected, e.g. after a broken
 *   connection; `corrupt` for one longer than expected or than {@link MAX_UNIT_BYTES}
 */
export async function readUnitBody(
  body: ReadableStream<Uint8Array>,
  expectedBytes: number | null,
  pool: BufferPool,
  onBytes: (count: number) => void,
): Promise<UnitBody> {
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
        throw new UnitFault("corrupt", `it is longer than the ${limit} bytes due`);
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
      throw new UnitFault("unavailable", `only ${filled} of ${expectedBytes} bytes came`);
    }
  } catch (error) {
    pool.give(buffer);
    // The connection is no longer needed; errors of cancelling do not matter.
    reader.cancel().catch(() => undefined);
    throw error;
  }
  return { bytes: buffer.subarray(0, filled), buffer };
}
