import {
  EncodedAudioPacketSource,
  EncodedVideoPacketSource,
  type Output,
  type EncodedPacket,
  type InputAudioTrack,
  type InputVideoTrack,
} from "mediabunny";
import { formatDuration } from "#console/lib/format.ts";
import { Mp4Error } from "./mp4-error.ts";
import { parameterSetsOf } from "./parameter-sets.ts";

type Config = VideoDecoderConfig | AudioDecoderConfig;

/**
 * The clock of a recording may step back by less than a few frames where a segment begins. What
 * goes back further is other material, which would be squeezed into an instant.
 */
const MAX_STEP_BACK_SEC = 1;

/** One tick of MPEG-TS: what clamped packets are apart. */
const TICK_SEC = 1 / 90_000;

export type Stream = InputVideoTrack | InputAudioTrack;

export type WrittenTrack = {
  readonly isVideo: boolean;
  /** Where its last packet ends on the video's timeline. */
  readonly endSec: number;
  /**
   * Begins with a piece's packets.
   * @throws {Mp4Error} if their format can't follow that of the first piece
   */
  readonly enter: (stream: Stream) => Promise<void>;
  /**
   * Writes a packet that is at `atSec` on the timeline; the file starts at `startSec`. A group of
   * pictures may not begin before the end of the last one: small steps back are clamped.
   * @throws {Mp4Error} if the clock goes back further
   */
  readonly add: (packet: EncodedPacket, atSec: number, startSec: number) => Promise<void>;
};

/**
 * A track of the written file. Its header has one decoder configuration, that of the first piece.
 * MPEG-TS repeats the pictures' parameter sets before key frames anyway; where pieces have theirs
 * in init sections, they are written there, so that decoders follow the change.
 */
export async function addWrittenTrack(
  output: Output,
  stream: Stream,
  mayChange: boolean,
): Promise<WrittenTrack> {
  const { codec, config, write } = await addTrack(output, stream);
  let endSec = -Infinity;
  let latestSec = -Infinity;
  /** Before this, no packet may be: the latest of the groups before this one. */
  let floorSec = -Infinity;
  let prefix: Uint8Array | null = null;

  return {
    isVideo: stream.isVideoTrack(),
    get endSec() {
      return endSec;
    },

    async enter(next) {
      const nextConfig = await next.getDecoderConfig();
      prefix =
        mayChange && next.isVideoTrack() && nextConfig?.description !== undefined
          ? parameterSetsOf(codec, bytesOf(nextConfig.description))
          : null;
      const isSame = nextConfig !== null && isSameFormat(config, nextConfig);
      const follows = (await next.getCodec()) === codec && (isSame || prefix !== null);
      if (!follows)
        throw new Mp4Error(
          `The ${next.isVideoTrack() ? "video" : "audio"} format changes at ${formatDuration(endSec)}, and one MP4 file can't hold both formats. Download the original file instead.`,
        );
    },

    async add(packet, atSec, startSec) {
      if (packet.type === "key") floorSec = latestSec;
      if (floorSec - atSec > MAX_STEP_BACK_SEC)
        throw new Mp4Error(
          `The clock of this recording goes back at ${formatDuration(floorSec)}, which an MP4 file can't hold. Download the original file instead.`,
        );
      const isBehind = atSec < floorSec;
      if (isBehind) floorSec += TICK_SEC;
      const placedSec = isBehind ? floorSec : atSec;
      latestSec = Math.max(latestSec, placedSec);
      endSec = Math.max(endSec, placedSec + packet.duration);
      const data =
        prefix !== null && packet.type === "key" ? joined(prefix, packet.data) : packet.data;
      const placed = packet.clone({ data, timestamp: placedSec - startSec });
      await write(placed);
    },
  };
}

async function addTrack(output: Output, stream: Stream) {
  if (stream.isVideoTrack()) {
    const codec = await stream.getCodec();
    const config = await stream.getDecoderConfig();
    if (codec === null || config === null) throw new Mp4Error(UNKNOWN_FORMAT);
    const source = new EncodedVideoPacketSource(codec);
    output.addVideoTrack(source);
    const write = (packet: EncodedPacket) => source.add(packet, { decoderConfig: config });
    return { codec, config, write };
  }
  const codec = await stream.getCodec();
  const config = await stream.getDecoderConfig();
  if (codec === null || config === null) throw new Mp4Error(UNKNOWN_FORMAT);
  const source = new EncodedAudioPacketSource(codec);
  output.addAudioTrack(source);
  const write = (packet: EncodedPacket) => source.add(packet, { decoderConfig: config });
  return { codec, config, write };
}

export const UNKNOWN_FORMAT = "This file has a format that can't be copied into an MP4 file.";

/** MPEG-TS has no description: its pictures carry their own, and its sound must not change. */
function isSameFormat(one: Config, other: Config): boolean {
  if (one.description !== undefined && other.description !== undefined)
    return `${bytesOf(one.description)}` === `${bytesOf(other.description)}`;
  if (one.description !== undefined || other.description !== undefined) return false;
  if (!("sampleRate" in one && "sampleRate" in other)) return true;
  return one.sampleRate === other.sampleRate && one.numberOfChannels === other.numberOfChannels;
}

function bytesOf(description: ArrayBufferLike | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(description)
    ? new Uint8Array(description.buffer, description.byteOffset, description.byteLength)
    : new Uint8Array(description);
}

function joined(one: Uint8Array, other: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(one.length + other.length);
  bytes.set(one);
  bytes.set(other, one.length);
  return bytes;
}
