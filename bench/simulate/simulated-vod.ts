/** A 128th of the real size, as all sizes of the simulation, since bytes cost most of its time. */
export const PART_BYTES = 65_536;

/** A VOD of the simulated Twitch. Its bytes follow from its id, so all seeds share them. */
export type SimulatedVod = {
  readonly id: string;
  readonly ownerId: string;
  readonly packetCounts: readonly number[];
  /** Segments that are gone for good. */
  readonly absent?: readonly number[];
  /** Segments that are cut for good. */
  readonly damaged?: readonly number[];
  /** Segments that are muted during the run, which renames them and changes their bytes. */
  readonly muted?: readonly number[];
  /** Broadcast while the run goes on: one more segment every twenty seconds. */
  readonly isGrowing?: boolean;
  readonly isForSubscribers?: boolean;
  /** Hidden from here on: only the media host still has it. */
  readonly hiddenFromSegment?: number;
  /** The media are deleted once this segment is there, before the end. */
  readonly goneFromSegment?: number;
  /** Nothing follows this segment, although no end was announced. */
  readonly stopsAtSegment?: number;
  /** The last segments are listed only so long after the end. */
  readonly lateTail?: { readonly segments: number; readonly afterMs: number };
};

export const SEGMENT_SEC = 10;
const GROWS_EVERY_MS = 20_000;

export const VODS: readonly SimulatedVod[] = [
  { id: "101", ownerId: "1005", packetCounts: [3, 5, 2] },
  // Parts end inside segments: a part has 348.6 packets, or four times that while the VOD grows.
  { id: "102", ownerId: "1005", packetCounts: [234, 234, 156, 109] },
  { id: "103", ownerId: "1008", packetCounts: [195, 188, 7] },
  { id: "104", ownerId: "1008", packetCounts: [4, 390, 5, 6], absent: [2] },
  {
    id: "105",
    ownerId: "1009",
    packetCounts: [1390, 7, 16, 3, 2, 2, 2],
    muted: [1, 2],
    isGrowing: true,
  },
  { id: "106", ownerId: "1009", packetCounts: [7, 6, 359, 4, 5], isGrowing: true },
  {
    id: "109",
    ownerId: "1008",
    packetCounts: [5, 350, 6, 340, 4, 7],
    isGrowing: true,
    hiddenFromSegment: 3,
  },
  {
    id: "110",
    ownerId: "1005",
    packetCounts: [900, 900, 900, 5, 6, 7, 8],
    isGrowing: true,
    hiddenFromSegment: 2,
    goneFromSegment: 6,
  },
  {
    id: "112",
    ownerId: "1008",
    packetCounts: [3, 4, 5, 6, 7, 8],
    isGrowing: true,
    hiddenFromSegment: 3,
    stopsAtSegment: 4,
  },
  {
    id: "111",
    ownerId: "1009",
    packetCounts: [4, 6, 8, 3, 5],
    isGrowing: true,
    lateTail: { segments: 2, afterMs: 150_000 },
  },
  { id: "107", ownerId: "1009", packetCounts: [3], isForSubscribers: true },
  { id: "108", ownerId: "1008", packetCounts: [2, 2, 2, 2], absent: [0, 1], damaged: [3] },
];

/** Number of segments that can be seen `sinceMs` after the start of the run. */
export function visibleSegments(vod: SimulatedVod, sinceMs: number): number {
  const all = vod.stopsAtSegment ?? vod.packetCounts.length;
  return vod.isGrowing === true ? Math.min(all, 1 + Math.floor(sinceMs / GROWS_EVERY_MS)) : all;
}

/** What the media host lists of them. */
export function listedSegments(vod: SimulatedVod, sinceMs: number): number {
  const { lateTail, packetCounts } = vod;
  const visible = visibleSegments(vod, sinceMs);
  if (lateTail === undefined) return visible;
  const isLate = sinceMs < packetCounts.length * GROWS_EVERY_MS + lateTail.afterMs;
  return isLate ? Math.min(visible, packetCounts.length - lateTail.segments) : visible;
}

export function isHidden(vod: SimulatedVod, sinceMs: number): boolean {
  return visibleSegments(vod, sinceMs) > (vod.hiddenFromSegment ?? Infinity);
}

/** Whether the source never announces its end. */
export function isCutOff({ goneFromSegment, stopsAtSegment }: SimulatedVod): boolean {
  return goneFromSegment !== undefined || stopsAtSegment !== undefined;
}

export function isGone(vod: SimulatedVod, sinceMs: number): boolean {
  return visibleSegments(vod, sinceMs) > (vod.goneFromSegment ?? Infinity);
}

const PACKET_BYTES = 188;
const known = new Map<string, Uint8Array>();

export function segmentBytes(vod: SimulatedVod, index: number, isMuted: boolean): Uint8Array {
  const name = `${vod.id}/${index}/${isMuted}`;
  let bytes = known.get(name);
  if (bytes === undefined) {
    bytes = makeBytes(
      (vod.packetCounts[index] ?? 0) * PACKET_BYTES,
      Number(vod.id) * 100 + index + (isMuted ? 50 : 0),
    );
    for (let at = 0; at < bytes.byteLength; at += PACKET_BYTES) bytes[at] = 0x47;
    known.set(name, bytes);
  }
  return bytes;
}

/** The same bytes for the same seed. */
export function makeBytes(sizeBytes: number, seed: number): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(sizeBytes / 4));
  let state = seed * 2_654_435_761;
  for (let at = 0; at < words.length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    words[at] = state;
  }
  return new Uint8Array(words.buffer, 0, sizeBytes);
}
