const TS_PACKET_BYTES = 188;

/** Presentation timestamps count a 90 kHz clock in 33 bits (ISO/IEC 13818-1 section 2.4.3.7). */
const TICKS_PER_SEC = 90_000;
const CLOCK_WRAP = 2 ** 33;

/** Audio comes in packets of up to a third of a second. A tenth of Twitch's usual segment. */
const TOLERANCE_SEC = 1;

/**
 * Checks that an MPEG-TS segment lasts as long as its playlist says; returns null or a description
 * of the fault. Detects bodies that were cut between two packets, which are well-formed but short.
 * Sources do have segments with odd or no timestamps, so the result is only a suspicion.
 */
export function checkPlayingTime(bytes: Uint8Array, durationSec: number): string | null {
  const leastSec = durationSec - TOLERANCE_SEC;
  const stampedSec = longestStampedSec(bytes, leastSec);
  if (stampedSec === null || stampedSec >= leastSec) return null;
  return `its pictures and sound last ${stampedSec.toFixed(1)} of ${durationSec.toFixed(1)} seconds`;
}

/** Of one stream, in ticks since the first that was read. */
type Stamps = { readonly first: number; readonly all: number[]; earliest: number; latest: number };

/**
 * Duration of the longest stream, or of the first that lasts `enoughSec`; null without timestamps.
 * Reads the packets from both ends inwards, so that a few of them are enough for a whole segment.
 */
function longestStampedSec(bytes: Uint8Array, enoughSec: number): number | null {
  const streams = new Map<number, Stamps>();
  const packets = Math.floor(bytes.byteLength / TS_PACKET_BYTES);
  let longestSec: number | null = null;
  for (let nth = 0; nth < packets && (longestSec ?? 0) < enoughSec; nth += 1) {
    const packet = nth % 2 === 0 ? nth / 2 : packets - (nth + 1) / 2;
    const at = packet * TS_PACKET_BYTES;
    const stamp = stampAt(bytes, at);
    if (stamp === null) continue;
    const pid = (((bytes[at + 1] ?? 0) & 0x1f) << 8) | (bytes[at + 2] ?? 0);
    const stream = streams.get(pid) ?? { first: stamp, all: [], earliest: 0, latest: 0 };
    const sinceFirst = ticksBetween(stream.first, stamp);
    stream.all.push(sinceFirst);
    stream.earliest = Math.min(stream.earliest, sinceFirst);
    stream.latest = Math.max(stream.latest, sinceFirst);
    streams.set(pid, stream);
    longestSec = Math.max(longestSec ?? 0, (stream.latest - stream.earliest) / TICKS_PER_SEC);
  }
  if (longestSec === null || longestSec >= enoughSec) return longestSec;
  return Math.max(...[...streams.values()].map(({ all }) => lastingSec(all)));
}

/**
 * A timestamp marks the start of a picture. The last one lasts as long as the longest before it,
 * which is seconds where there are few pictures, such as slides.
 */
function lastingSec(stamps: readonly number[]): number {
  const ordered = stamps.toSorted((left, right) => left - right);
  const gaps = ordered.slice(1).map((stamp, index) => stamp - (ordered[index] ?? stamp));
  const longestGap = gaps.reduce((longest, gap) => Math.max(longest, gap), 0);
  return ((ordered.at(-1) ?? 0) - (ordered[0] ?? 0) + longestGap) / TICKS_PER_SEC;
}

/** Signed, because pictures come in decoding order; handles a wrap of the clock. */
function ticksBetween(from: number, to: number): number {
  const ticks = (to - from + CLOCK_WRAP) % CLOCK_WRAP;
  return ticks < CLOCK_WRAP / 2 ? ticks : ticks - CLOCK_WRAP;
}

/** The timestamp of the audio or video packet that begins in the TS packet at `at`, or null. */
function stampAt(bytes: Uint8Array, at: number): number | null {
  const byte = (offset: number) => bytes[offset] ?? 0;
  const beginsPacket = (byte(at + 1) & 0x40) !== 0;
  const hasPayload = (byte(at + 3) & 0x10) !== 0;
  if (!beginsPacket || !hasPayload) return null;
  const hasAdaptation = (byte(at + 3) & 0x20) !== 0;
  const pes = at + 4 + (hasAdaptation ? 1 + byte(at + 4) : 0);
  if (pes + 14 > at + TS_PACKET_BYTES) return null;
  const isPes = byte(pes) === 0 && byte(pes + 1) === 0 && byte(pes + 2) === 1;
  const isAudioOrVideo = byte(pes + 3) >= 0xc0 && byte(pes + 3) <= 0xef;
  const hasStamp = (byte(pes + 7) & 0x80) !== 0;
  if (!isPes || !isAudioOrVideo || !hasStamp) return null;
  return (
    ((byte(pes + 9) >> 1) & 0x07) * 2 ** 30 +
    byte(pes + 10) * 2 ** 22 +
    (byte(pes + 11) >> 1) * 2 ** 15 +
    byte(pes + 12) * 2 ** 7 +
    (byte(pes + 13) >> 1)
  );
}
