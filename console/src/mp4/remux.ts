import {
  CustomSource,
  EncodedPacketSink,
  Input,
  Logging,
  LogLevel,
  MATROSKA,
  MP4,
  Mp4OutputFormat,
  MPEG_TS,
  Output,
  QTFF,
  StreamTarget,
  UnsupportedInputFormatError,
  WEBM,
  type CustomSourceOptions,
  type EncodedPacket,
  type StreamTargetChunk,
} from "mediabunny";
import type { TimeRange } from "#contract/upload.ts";
import { checkBoxCounts, checkFragments, type ReadBytes } from "./box-counts.ts";
import { Mp4Error } from "./mp4-error.ts";
import type { Piece, Range } from "./mp4-pieces.ts";
import {
  addWrittenTrack,
  UNKNOWN_FORMAT,
  type Stream,
  type WrittenTrack,
} from "./written-track.ts";

const DAMAGE = /internal error|assertion failed|no "moov" box|^(?:Incorrect|Invalid) /i;

// What is said about a file is an Mp4Error.
Logging.level = LogLevel.Silent;

const FORMATS = [MPEG_TS, MP4, QTFF, WEBM, MATROSKA];

/** The stored object, for mediabunny. */
export type StoredBytes = Omit<CustomSourceOptions, "read" | "getSize"> & {
  readonly getSize: () => number;
  readonly read: ReadBytes;
};

/** A stream of one piece, and the track that it continues. */
type Pair = { readonly stream: Stream; readonly track: WrittenTrack };

/** `first` is the packet from which on the stream is copied. */
type Cut = Pair & { readonly first: EncodedPacket | null };

/**
 * Copies the main video and audio track of stored pieces into one MP4 file, without encoding, and
 * closes it. A span starts at the key frame before it; its end may be Infinity. Memory does not
 * depend on the length, except for about 100 bytes a packet, because an MP4 file ends with an index
 * of all packets.
 * @throws {Mp4Error} if one MP4 file can't hold the pieces
 */
export async function remux(
  bytes: StoredBytes,
  pieces: readonly Piece[],
  span: TimeRange,
  target: WritableStream<StreamTargetChunk>,
): Promise<void> {
  const output = new Output({
    format: new Mp4OutputFormat({ fastStart: false }),
    target: new StreamTarget(target, { chunked: true, chunkSize: 8 * 2 ** 20 }),
  });
  const read = checkFragments(bytes.read, bytes.getSize());
  const source = new CustomSource({ ...bytes, read });
  // Otherwise the source ends with the first piece that is disposed of.
  const hold = source.ref();
  try {
    let tracks: WrittenTrack[] | undefined;
    let startSec: number | undefined;
    for (const piece of pieces) {
      await checkPiece(bytes, piece);
      const input = openPiece(source, piece);
      const streams = await streamsOf(input);
      if (tracks === undefined) {
        tracks = [];
        for (const stream of streams)
          tracks.push(await addWrittenTrack(output, stream, pieces.length > 1));
        await output.start();
      }
      const pairs = pairsOf(streams, tracks);
      const offsetSec = await offsetOf(pairs, piece.startSec);
      const cuts = await cutAt(pairs, span.startSec - offsetSec);
      const starts = cuts.flatMap(({ first }) => first?.timestamp ?? []);
      startSec ??= Math.min(...starts) + offsetSec;
      await copyPackets(cuts, { offsetSec, startSec, endSec: span.endSec });
      input.dispose();
    }
    await output.finalize();
  } catch (error) {
    // Closing a target that has failed fails, too.
    await output.cancel().catch(() => undefined);
    throw sentenceOf(error);
  } finally {
    hold.free();
  }
}

/** mediabunny reads what it does not expect as a fault of its own, or of its caller. */
function sentenceOf(cause: unknown): unknown {
  if (cause instanceof UnsupportedInputFormatError) return new Mp4Error(UNKNOWN_FORMAT, { cause });
  const isOfDamage =
    cause instanceof RangeError ||
    cause instanceof TypeError ||
    (cause instanceof Error && DAMAGE.test(cause.message));
  return isOfDamage ? new Mp4Error("This file is damaged.", { cause }) : cause;
}

async function checkPiece({ read }: StoredBytes, { range, init }: Piece): Promise<void> {
  for (const { offset, length } of init === null ? [range] : [init, range])
    await checkBoxCounts((start, end) => read(offset + start, offset + end), length);
}

function openPiece(source: CustomSource, { range, init }: Piece): Input {
  const slice = ({ offset, length }: Range) => source.slice(offset, length);
  return new Input({
    source: slice(range),
    formats: FORMATS,
    ...(init === null ? {} : { initInput: new Input({ source: slice(init), formats: FORMATS }) }),
  });
}

async function streamsOf(input: Input): Promise<readonly Stream[]> {
  const streams = [await input.getPrimaryVideoTrack(), await input.getPrimaryAudioTrack()];
  const found = streams.filter((stream) => stream !== null);
  if (found.length === 0) throw new Mp4Error("This file has no video or sound that can be copied.");
  return found;
}

/** What the first piece lacks has no track. */
function pairsOf(streams: readonly Stream[], tracks: readonly WrittenTrack[]): readonly Pair[] {
  return streams.flatMap((stream) => {
    const track = tracks.find(({ isVideo }) => isVideo === stream.isVideoTrack());
    return track === undefined ? [] : { stream, track };
  });
}

/**
 * Difference between a piece's own time and the video's timeline: it starts at its place there, or
 * where the last piece ends if that is later.
 */
async function offsetOf(pairs: readonly Pair[], startSec: number): Promise<number> {
  const starts = await Promise.all(pairs.map(({ stream }) => stream.getFirstTimestamp()));
  const offsets = pairs.map(({ track }, index) => track.endSec - (starts[index] ?? 0));
  return Math.max(startSec - Math.min(...starts), ...offsets);
}

/** Where the streams are cut for a span from `fromSec` on: at a key frame, if there is a picture. */
async function cutAt(pairs: readonly Pair[], fromSec: number): Promise<readonly Cut[]> {
  const cuts: Cut[] = [];
  for (const { stream, track } of pairs) {
    await track.enter(stream);
    const keySec = cuts[0]?.first?.timestamp ?? Infinity;
    const first =
      keySec < fromSec ? await packetFrom(stream, keySec) : await firstPacketOf(stream, fromSec);
    cuts.push({ stream, track, first });
  }
  return cuts;
}

async function packetFrom(stream: Stream, sec: number): Promise<EncodedPacket | null> {
  const sink = new EncodedPacketSink(stream);
  let packet = (await sink.getPacket(sec)) ?? (await sink.getFirstPacket());
  while (packet !== null && packet.timestamp < sec) packet = await sink.getNextPacket(packet);
  return packet;
}

async function firstPacketOf(stream: Stream, fromSec: number): Promise<EncodedPacket | null> {
  const sink = new EncodedPacketSink(stream);
  const first = await sink.getFirstKeyPacket({ verifyKeyPackets: true });
  if (first === null || first.timestamp >= fromSec) return first;
  return (await sink.getKeyPacket(fromSec, { verifyKeyPackets: true })) ?? first;
}

/** Writes the streams' packets in the order of their times. */
async function copyPackets(
  cuts: readonly Cut[],
  { offsetSec, startSec, endSec }: { offsetSec: number; startSec: number; endSec: number },
): Promise<void> {
  const queues = await Promise.all(
    cuts.map(async ({ stream, track, first }) => {
      const packets = new EncodedPacketSink(stream).packets(first ?? undefined);
      return { track, packets, next: first === null ? undefined : (await packets.next()).value };
    }),
  );
  for (;;) {
    let earliest: (typeof queues)[number] | undefined;
    for (const queue of queues)
      if (
        queue.next &&
        (earliest?.next === undefined || queue.next.timestamp < earliest.next.timestamp)
      )
        earliest = queue;
    const packet = earliest?.next;
    if (earliest === undefined || !packet) return;
    const atSec = packet.timestamp + offsetSec;
    if (atSec >= endSec) {
      await earliest.packets.return();
      earliest.next = undefined;
      continue;
    }
    await earliest.track.add(packet, atSec, startSec);
    earliest.next = (await earliest.packets.next()).value;
  }
}
