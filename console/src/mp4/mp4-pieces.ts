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

/**
 * The pieces of an archive that cover a span, from the byte-range playlist beside it: a new one
 * where the timestamps or the init section change. Times of segments that are not stored pass
 * (RFC 8216 sections 4.3.2 and 4.3.3).
 * @throws {RangeError} if the text is no such playlist
 */
export function piecesOf(playlist: string, span: TimeRange): readonly Piece[] {
  const pieces: Piece[] = [];
  let init: Range | null = null;
  let range: Range | null = null;
  let durationSec = 0;
  let startSec = 0;
  let isContinued = true;
  for (const line of playlist.split("\n")) {
    if (line === "#EXT-X-DISCONTINUITY") isContinued = false;
    else if (line.startsWith("#EXT-X-MAP:")) init = rangeIn(line);
    else if (line.startsWith("#EXT-X-BYTERANGE:")) range = rangeIn(line);
    else if (line.startsWith("#EXTINF:")) durationSec = Number.parseFloat(line.slice(8));
    else if (line !== "" && !line.startsWith("#")) {
      const endSec = startSec + durationSec;
      if (range !== null) {
        if (endSec > span.startSec && startSec < span.endSec)
          addSegment(pieces, { range, init, startSec }, isContinued);
        isContinued = true;
      }
      startSec = endSec;
      range = null;
    }
  }
  if (pieces.length === 0) throw new RangeError("The playlist has no stored segment in this span");
  return pieces;
}

function addSegment(pieces: Piece[], segment: Piece, isContinued: boolean): void {
  const last = pieces.at(-1);
  const isNext =
    last !== undefined &&
    isContinued &&
    segment.init?.offset === last.init?.offset &&
    segment.range.offset === last.range.offset + last.range.length;
  if (!isNext) pieces.push(segment);
  else {
    const { offset, length } = last.range;
    const range = { offset, length: length + segment.range.length };
    pieces[pieces.length - 1] = { ...last, range };
  }
}

function rangeIn(line: string): Range {
  const [, length, offset] = /(?<!\d)(\d+)@(\d+)/.exec(line) ?? [];
  if (length === undefined || offset === undefined)
    throw new RangeError(`No byte range in ${line}`);
  return { offset: Number(offset), length: Number(length) };
}
