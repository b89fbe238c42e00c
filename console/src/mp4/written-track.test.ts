import {
  BufferSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacket,
  EncodedPacketSink,
  Input,
  MP4,
  Mp4OutputFormat,
  Output,
} from "mediabunny";
import { expect, test } from "vitest";
import { addWrittenTrack } from "./written-track.ts";

const FRAME_SEC = 1_024 / 48_000;

const CONFIG: AudioDecoderConfig = {
  codec: "mp4a.40.2",
  sampleRate: 48_000,
  numberOfChannels: 2,
  description: new Uint8Array([0x11, 0x90]),
};

function packetAt(sec: number): EncodedPacket {
  return new EncodedPacket(new Uint8Array([1, 2, 3]), "key", sec, FRAME_SEC);
}

function newOutput() {
  const target = new BufferTarget();
  return { target, output: new Output({ format: new Mp4OutputFormat(), target }) };
}

async function soundOf({ buffer }: BufferTarget) {
  const input = new Input({
    source: new BufferSource(buffer ?? new ArrayBuffer()),
    formats: [MP4],
  });
  const track = await input.getPrimaryAudioTrack();
  if (track === null) throw new Error("The file has no sound");
  return track;
}

/** A stream of sound, as a stored piece has it. */
async function stream() {
  const { target, output } = newOutput();
  const source = new EncodedAudioPacketSource("aac");
  output.addAudioTrack(source);
  await output.start();
  await source.add(packetAt(0), { decoderConfig: CONFIG });
  await output.finalize();
  return await soundOf(target);
}

/** The times of a file to which packets at these times were written. */
async function written(times: readonly number[]): Promise<readonly number[]> {
  const { target, output } = newOutput();
  const track = await addWrittenTrack(output, await stream(), false);
  await output.start();
  for (const sec of times) await track.add(packetAt(sec), sec, 0);
  await output.finalize();
  const sink = new EncodedPacketSink(await soundOf(target));
  const placed: number[] = [];
  for await (const { timestamp } of sink.packets()) placed.push(timestamp);
  return placed;
}

test("a clock that steps back by some frames is clamped, and nothing is left out", async () => {
  const before = Array.from({ length: 10 }, (_, index) => index * FRAME_SEC);
  const after = before.map((sec) => sec + 9 * FRAME_SEC - 0.02);
  const placed = await written([...before, ...after]);
  expect(placed).toHaveLength(20);
  expect(placed.toSorted((left, right) => left - right)).toEqual(placed);
  expect(placed.at(-1)).toBeCloseTo(after.at(-1) ?? 0, 3);
});

test("a clock that goes back further ends with a sentence", async () => {
  await expect(written([0, 90, 60])).rejects.toThrow(
    "The clock of this recording goes back at 1m 30s, which an MP4 file can't hold.",
  );
});
