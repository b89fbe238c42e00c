import type { ByteRange } from "#service/ports/object-store.ts";

/** EXT-X-MAP: the init section of the fragments that follow it (RFC 8216 section 4.3.2.5). */
export type InitSection = { readonly url: string; readonly byteRange: ByteRange | null };

export type MediaSegment = {
  /** Position in the playlist, from 0. */
  readonly index: number;
  /** Absolute address; `-unmuted` names, which answer 403, are already mapped to `-muted`. */
  readonly url: string;
  readonly durationSec: number;
  readonly byteRange: ByteRange | null;
  /** Index into the playlist's `inits`; null for MPEG-TS. */
  readonly initIndex: number | null;
  /** EXT-X-DISCONTINUITY precedes this segment. */
  readonly startsDiscontinuity: boolean;
  /** EXT-X-GAP: the source marks the segment as absent. */
  readonly isGap: boolean;
  readonly isMuted: boolean;
};

export type MediaPlaylist = {
  readonly targetDurationSec: number;
  /** The playlist has EXT-X-ENDLIST. */
  readonly isEnded: boolean;
  readonly inits: readonly InitSection[];
  readonly segments: readonly MediaSegment[];
};
