import type { ByteRange } from "#service/ports/object-store.ts";

/** EXT-X-MAP: what must precede the fragments that follow it (RFC 8216 section 4.3.2.5). */
export type InitSection = { readonly url: string; readonly byteRange: ByteRange | null };

export type MediaSegment = {
  /** Position in the playlist, from 0. */
  readonly index: number;
  /** Absolute address; `-unmuted` names are already mapped to `-muted` (they answer 403). */
  readonly url: string;
  readonly durationSec: number;
  readonly byteRange: ByteRange | null;
  /** Which of the playlist's `inits` applies; null for MPEG-TS. */
  readonly initIndex: number | null;
  /** EXT-X-DISCONTINUITY stands before this segment. */
  readonly startsDiscontinuity: boolean;
  /** EXT-X-GAP: the source itself says there is nothing here. */
  readonly isGap: boolean;
  readonly isMuted: boolean;
};

export type MediaPlaylist = {
  readonly targetDurationSec: number;
  /** EXT-X-ENDLIST was there. */
  readonly isEnded: boolean;
  readonly inits: readonly InitSection[];
  readonly segments: readonly MediaSegment[];
};
