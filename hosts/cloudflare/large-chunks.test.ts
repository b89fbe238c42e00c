import { expect, it } from "vitest";
import { inLargeChunks } from "./large-chunks.ts";

const LEAST_BYTES = 64 * 1024;
const PIECE_BYTES = 1_000;
const PIECES = 300;

/** A body that arrives in small chunks with different bytes. */
function inPieces(end: (writer: WritableStreamDefaultWriter<Uint8Array>) => Promise<void>) {
  const { readable, writable } = new IdentityTransformStream();
  const writer: WritableStreamDefaultWriter<Uint8Array> = writable.getWriter();
  const writing = (async () => {
    for (let piece = 0; piece < PIECES; piece += 1)
      await writer.write(new Uint8Array(PIECE_BYTES).fill(piece % 251));
    await end(writer);
  })();
  return { body: readable, writing };
}

async function readChunks(body: ReadableStream<Uint8Array>): Promise<Uint8Array[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of body) chunks.push(chunk);
  return chunks;
}

it("a body of small pieces arrives complete and in order, in large chunks except the last", async () => {
  const { body, writing } = inPieces((writer) => writer.close());
  const chunks = await readChunks(inLargeChunks(body, LEAST_BYTES));
  await writing;
  const sizes = chunks.map((chunk) => chunk.byteLength);
  expect(sizes.slice(0, -1).filter((size) => size < LEAST_BYTES)).toEqual([]);
  const whole = new Uint8Array(await new Blob(chunks).arrayBuffer());
  expect(whole.byteLength).toBe(PIECES * PIECE_BYTES);
  expect(whole.every((byte, index) => byte === Math.floor(index / PIECE_BYTES) % 251)).toBe(true);
});

it("an aborted body fails instead of ending early", async () => {
  const { body, writing } = inPieces((writer) => writer.abort(new Error("The line broke")));
  await expect(readChunks(inLargeChunks(body, LEAST_BYTES))).rejects.toThrow("The line broke");
  await writing;
});
