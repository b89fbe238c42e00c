import type { TimeRange } from "#contract/upload.ts";

/** A range of bytes of the stored object. */
export type Range = { readonly offset: number; readonly length: number };

/** Part of a stored object that one demuxer reads from its start to its end. */
export type Piece = {
  readonly range: Range;
  /** The init section of fragmented MP4 in the same object; null if `range` needs none. */
  readonly init: Range | null;
  /** Where it starts on the video's timeline. */
  readonly startSec: number;
};

type Segment = {
  readonly range: Range;
  readonly init: Range | null;
  readonly startSec: number;
  readonly endSec: number;
  readonly startsDiscontinuity: boolean;
};

/**
 * The pieces of an archive that cover a span, from the byte-range playlist beside it: a new one
 * where the timestamps or the init section change. Times of segments that are not stored pass
 * (RFC 8216 sections 4.3.2 and 4.3.3).
 * @throws {RangeError} if the text is no such playlist
 */
export function piecesOf(playlist: string, span: TimeRange): readonly Piece[] {
  const pieces: Piece[] = [];
  let before: Segment | undefined;
  for (const segment of segmentsOf(playlist)) {
    if (segment.endSec <= span.startSec || segment.startSec >= span.endSec) continue;
    const last = pieces.at(-1);
    if (last !== undefined && before !== undefined && continues(before, segment)) {
      const { offset } = last.range;
      const length = segment.range.offset + segment.range.length - offset;
      pieces[pieces.length - 1] = { ...last, range: { offset, length } };
    } else {
      const { range, init, startSec } = segment;
      pieces.push({ range, init, startSec });
    }
    before = segment;
  }
  if (pieces.length === 0) throw new RangeError("The playlist has no stored segment in this span");
  return pieces;
}

function continues(before: Segment, { range, init, startsDiscontinuity }: Segment): boolean {
  return (
    !startsDiscontinuity &&
    init?.offset === before.init?.offset &&
    range.offset === before.range.offset + before.range.length
  );
}

function segmentsOf(playlist: string): readonly Segment[] {
  const segments: Segment[] = [];
  let init: Range | null = null;
  let range: Range | null = null;
  let durationSec = 0;
  let startSec = 0;
  let startsDiscontinuity = false;
  for (const line of playlist.split("\n")) {
    if (line === "#EXT-X-DISCONTINUITY") startsDiscontinuity = true;
    else if (line.startsWith("#EXT-X-MAP:")) init = rangeIn(line);
    else if (line.startsWith("#EXT-X-BYTERANGE:")) range = rangeIn(line);
    else if (line.startsWith("#EXTINF:")) durationSec = Number.parseFloat(line.slice(8));
    else if (line !== "" && !line.startsWith("#")) {
      const endSec = startSec + durationSec;
      if (range !== null) {
        segments.push({ range, init, startSec, endSec, startsDiscontinuity });
        startsDiscontinuity = false;
      }
      startSec = endSec;
      range = null;
    }
  }
  return segments;
}

function rangeIn(line: string): Range {
  const [, length, offset] = /(\d+)@(\d+)/.exec(line) ?? [];
  if (length === undefined || offset === undefined)
    throw new RangeError(`No byte range in ${line}`);
  return { offset: Number(offset), length: Number(length) };
}
