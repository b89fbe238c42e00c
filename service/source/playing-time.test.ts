import * as fc from "fast-check";
import { expect, it } from "vitest";
import { checkPlayingTime } from "./playing-time.ts";

const PACKET_BYTES = 188;
const CLOCK_WRAP = 2 ** 33;

/** A picture in one packet with its timestamp and `more` packets without. */
function picture(ticks: number, more: number): Uint8Array {
  const bytes = new Uint8Array((1 + more) * PACKET_BYTES);
  for (let at = 0; at < bytes.byteLength; at += PACKET_BYTES)
    bytes.set([0x47, 0x01, 0x01, 0x10], at);
  bytes[1] = 0x41;
  const stamp = ticks % CLOCK_WRAP;
  bytes.set([0, 0, 1, 0xe0, 0, 0, 0x80, 0x80, 5], 4);
  bytes.set(
    [
      0x21 | (Math.floor(stamp / 2 ** 30) << 1),
      Math.floor(stamp / 2 ** 22) & 0xff,
      ((Math.floor(stamp / 2 ** 15) & 0x7f) << 1) | 1,
      Math.floor(stamp / 2 ** 7) & 0xff,
      ((stamp & 0x7f) << 1) | 1,
    ],
    13,
  );
  return bytes;
}

function segment(startTicks: number, framesPerSec: number, seconds: number, more: number) {
  const pictures = Array.from({ length: framesPerSec * seconds }, (_, index) =>
    // The last two of every three pictures are swapped, like reference pictures.
    picture(
      startTicks +
        ((index % 3 === 1 ? index + 1 : index % 3 === 2 ? index - 1 : index) * 90_000) /
          framesPerSec,
      more,
    ),
  );
  const bytes = new Uint8Array(pictures.length * (1 + more) * PACKET_BYTES);
  pictures.forEach((each, index) => bytes.set(each, index * each.byteLength));
  return bytes;
}

const anySegment = fc.record({
  startTicks: fc.oneof(
    fc.integer({ min: 0, max: CLOCK_WRAP - 1 }),
    // The clock wraps inside the segment.
    fc.integer({ min: CLOCK_WRAP - 900_000, max: CLOCK_WRAP - 1 }),
  ),
  framesPerSec: fc.constantFrom(10, 30, 60),
  seconds: fc.integer({ min: 2, max: 12 }),
  more: fc.integer({ min: 0, max: 2 }),
});

it("accepts a complete segment wherever its clock starts or wraps", () => {
  fc.assert(
    fc.property(anySegment, ({ startTicks, framesPerSec, seconds, more }) => {
      const bytes = segment(startTicks, framesPerSec, seconds, more);
      expect(checkPlayingTime(bytes, seconds)).toBeNull();
    }),
  );
});

it("reports a segment that is missing more than a second and a frame at its end", () => {
  fc.assert(
    fc.property(anySegment, fc.double({ min: 0, max: 1, noNaN: true }), (made, share) => {
      const { startTicks, framesPerSec, seconds, more } = made;
      const bytes = segment(startTicks, framesPerSec, seconds, more);
      const packets = bytes.byteLength / PACKET_BYTES;
      // A swapped picture may be later than the cut, and leaves a gap before it.
      const mostLeft = packets - (1 + more) * (framesPerSec + 4);
      const left = Math.max(1 + more, Math.floor(share * mostLeft));
      expect(checkPlayingTime(bytes.subarray(0, left * PACKET_BYTES), seconds)).toMatch(
        /^its pictures and sound last \d+\.\d of \d+\.0 seconds$/,
      );
    }),
  );
});

it("accepts few pictures, which last long, and reports one that is missing", () => {
  const slides = [0, 1.7, 3.4, 5.1, 6.8, 8.5].map((sec) => picture(sec * 90_000, 1));
  const bytes = new Uint8Array(Buffer.concat(slides));
  expect(checkPlayingTime(bytes, 10)).toBeNull();
  expect(checkPlayingTime(bytes.subarray(0, -2 * PACKET_BYTES), 10)).toMatch("8.5 of 10.0");
});

it("reports nothing for packets without timestamps", () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 184, maxLength: 184 }), (payload) => {
      // The header says that no PES packet begins here.
      const packet = Uint8Array.from([0x47, 0x01, 0x01, 0x10, ...payload]);
      expect(checkPlayingTime(packet, 10)).toBeNull();
      expect(checkPlayingTime(new Uint8Array(0), 10)).toBeNull();
    }),
  );
});
