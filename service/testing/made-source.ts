import { twitchUserIdSchema } from "#contract/ids.ts";
import type { Rendition, VodSource } from "#service/twitch/twitch-client.ts";

/** The fault of one request for a segment. */
export type SegmentFault = "unavailable" | "short" | "page" | "broken";

/** A source of MPEG-TS segments generated from a seed, with faults for chosen requests. */
export type MadeSource = VodSource & {
  readonly segments: readonly Uint8Array[];
};

const PACKET_BYTES = 188;

const rendition: Rendition = {
  name: "chunked",
  playlistUrl: "https://media.test/index.m3u8",
  bandwidthBitsPerSec: 6_000_000,
  codecs: null,
  resolution: null,
  framesPerSec: null,
};

/** `faultAt` returns the fault of the n-th request, counted from 0. */
export function makeSource(
  packetCounts: readonly number[],
  faultAt: (request: number) => SegmentFault | undefined = () => undefined,
): MadeSource {
  const segments = packetCounts.map(makeSegment);
  let requests = 0;
  return {
    segments,
    getVideo: async (id) => ({
      id,
      ownerId: twitchUserIdSchema.parse("7"),
      ownerLogin: "maker",
      ownerDisplayName: "Maker",
      title: "Made",
      createdAt: new Date(0),
      durationSec: segments.length * 10,
      thumbnailUrl: null,
      isRecording: false,
      mutedRanges: [],
    }),
    openPlayback: async () => ({ source: rendition, renditions: [rendition], withheld: [] }),
    readPlaylist: async () => ({
      targetDurationSec: 10,
      isEnded: true,
      inits: [],
      segments: segments.map((_, index) => ({
        index,
        url: `https://media.test/${index}.ts`,
        durationSec: 10,
        byteRange: null,
        initIndex: null,
        startsDiscontinuity: false,
        isGap: false,
        isMuted: false,
      })),
    }),
    async *readChat() {},
    async fetchMedia(url) {
      const index = Number(/\/(\d+)\.ts$/.exec(url)?.[1]);
      const bytes = segments[index] ?? new Uint8Array();
      const fault = faultAt(requests);
      requests += 1;
      return answer(bytes, fault);
    },
  };
}

function answer(bytes: Uint8Array, fault: SegmentFault | undefined): Response {
  const headers = { "content-length": String(bytes.byteLength) };
  switch (fault) {
    case "unavailable":
      return new Response(null, { status: 503 });
    case "short":
      return new Response(streamOf(bytes.subarray(0, bytes.byteLength - 1)), { headers });
    case "page":
      return new Response("<!doctype html><title>Sorry</title>");
    case "broken":
      return new Response(
        new ReadableStream<Uint8Array>({
          pull: (controller) => controller.error(new TypeError("reset")),
        }),
        { headers },
      );
    default:
      return new Response(streamOf(bytes), { headers });
  }
}

/** A stream with chunks of uneven sizes, as from a network. */
function streamOf(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.byteLength) {
        controller.close();
        return;
      }
      const count = 100_003 + (at % 700_001);
      controller.enqueue(bytes.subarray(at, at + count));
      at += count;
    },
  });
}

function makeSegment(packets: number, index: number): Uint8Array {
  const bytes = new Uint8Array(packets * PACKET_BYTES);
  const words = new Uint32Array(bytes.buffer, 0, Math.floor(bytes.byteLength / 4));
  let state = (index + 1) * 2_654_435_761;
  for (let at = 0; at < words.length; at += 1) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    words[at] = state;
  }
  for (let at = 0; at < bytes.byteLength; at += PACKET_BYTES) bytes[at] = 0x47;
  return bytes;
}
