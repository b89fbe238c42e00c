import type { ByteSource } from "../http/byte-source.ts";

export type Container = "ts" | "fmp4";

/**
 * Where the bytes of one rendition come from. A segment's bytes depend on nothing but the arguments,
 * so a digest computed at any time speaks about what was and will be served.
 */
export type MediaTrack = {
  readonly container: Container;
  readonly bandwidthBps: number;
  segment(place: SegmentPlace): ByteSource;
  /** The init segment of the given range; null for a transport stream. */
  init(range: number): ByteSource | null;
};

type SegmentPlace = {
  readonly index: number;
  /** Segments since the clock last restarted: at the start and after each discontinuity. */
  readonly indexInRange: number;
  /** How many discontinuities came before. */
  readonly range: number;
  readonly muted: boolean;
};
