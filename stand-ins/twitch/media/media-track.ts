export type Container = "ts" | "fmp4";

/**
 * The source of one rendition's bytes. A segment's bytes depend only on the arguments, so that a
 * digest computed at any time applies to all responses.
 */
export type MediaTrack = {
  readonly container: Container;
  readonly bandwidthBps: number;
  segment(place: SegmentPlace): Uint8Array;
  /** The init segment of the given range; null for a transport stream. */
  init(range: number): Uint8Array | null;
};

type SegmentPlace = {
  readonly index: number;
  /** Number of segments since the timestamps restarted, at the start or a discontinuity. */
  readonly indexInRange: number;
  /** Number of earlier discontinuities. */
  readonly range: number;
  readonly muted: boolean;
};
