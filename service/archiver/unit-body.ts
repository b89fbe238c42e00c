import type { BufferPool } from "./buffer-pool.ts";
import { UnitFault } from "./unit-fault.ts";

/**
 * A unit is held whole before its first byte goes into a part, so that nothing short or over-long
 * is ever stored. Ten seconds at 100 Mb/s are 125 MB: larger ones do not occur on Twitch, and
 * refusing them is what keeps memory bounded.
 */
export const MAX_UNIT_BYTES = 128 * 1024 * 1024;

/** First guess for a body without a length. */
const UNKNOWN_LENGTH_BYTES = 4 * 1024 * 1024;

/** Bytes of a whole unit inside a pooled buffer. */
export type UnitBody = { readonly bytes: Uint8Array; readonly buffer: Uint8Array };

/**
 * Reads `body` whole. `expectedBytes` is what the headers promised; null when they did not.
 * @throws {UnitFault} `unavailable` for a body that ends before what was promised, as a broken
 *   connection does where the runtime tells of it; `corrupt` for one longer, or beyond the cap
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
    // The connection is of no more use; what cancelling says about it does not matter.
    reader.cancel().catch(() => undefined);
    throw error;
  }
  return { bytes: buffer.subarray(0, filled), buffer };
}
