import { expect, it } from "vitest";
import { connectionLost } from "#service/source/upstream-request.ts";
import { createTestClock } from "#service/testing/test-clock.ts";
import { createManualClock } from "#hosts/node/testing/manual-clock.ts";
import { createBufferPool } from "#service/storage/buffer-pool.ts";
import type { Source } from "#service/source/source.ts";
import { requestUnit } from "./unit-request.ts";

const deps = {
  clock: createTestClock(),
  pool: createBufferPool(() => 0),
  onBytes: () => undefined,
  onSize: () => undefined,
};
const { signal } = new AbortController();

it("a lost connection is reported as unavailable, without a trailing full stop", async () => {
  const source = {
    name: "Twitch",
    fetch: () => Promise.reject(connectionLost("the media host", null)),
  };
  const unit = { url: "https://media.test/0.ts", byteRange: null };
  await expect(requestUnit({ ...deps, source }, unit, signal)).rejects.toMatchObject({
    kind: "unavailable",
    message: "The connection to the media host failed",
  });
});

it("a byte range larger than a unit can be is refused before it is received", async () => {
  const source = { name: "Twitch", fetch: async () => new Response("0", { status: 206 }) };
  const byteRange = { offset: 0, length: 128 * 1024 * 1024 + 1 };
  const unit = { url: "https://media.test/0.ts", byteRange };
  await expect(requestUnit({ ...deps, source }, unit, signal)).rejects.toMatchObject({
    failureClass: "source_corrupt",
  });
});

it("a host that ignores ranges is named as such", async () => {
  const source = { name: "Twitch", fetch: async () => new Response("the whole file") };
  const unit = { url: "https://media.test/0.ts", byteRange: { offset: 4, length: 5 } };
  await expect(requestUnit({ ...deps, source }, unit, signal)).rejects.toMatchObject({
    kind: "unexpected",
    message: "the host does not support range requests",
  });
});

it("a body that drips past its deadline is reported as unavailable, which limits the retries", async () => {
  const clock = createManualClock(0);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await new Promise((resolve) => setImmediate(resolve));
      controller.enqueue(new Uint8Array(1));
      clock.pass(10_000);
    },
  });
  const source: Pick<Source, "fetch" | "name"> = {
    name: "Twitch",
    fetch: async (_url, init) =>
      new Response(body.pipeThrough(new TransformStream(), { signal: init?.signal ?? signal })),
  };
  const unit = { url: "https://media.test/0.ts", byteRange: null };
  await expect(requestUnit({ ...deps, clock, source }, unit, signal)).rejects.toMatchObject({
    kind: "unavailable",
    message: "it was incomplete after 120 seconds",
  });
});

it.each([
  [0, "silent"],
  [1, "unavailable"],
])("a body that stops after %i bytes is reported as %s", async (sizeBytes, kind) => {
  const clock = createManualClock(0);
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      if (sizeBytes > 0) controller.enqueue(new Uint8Array(sizeBytes));
      await new Promise((resolve) => setImmediate(resolve));
      clock.pass(25_000);
      await new Promise(() => undefined);
    },
  });
  const source: Pick<Source, "fetch" | "name"> = {
    name: "Twitch",
    fetch: async (_url, init) =>
      new Response(body.pipeThrough(new TransformStream(), { signal: init?.signal ?? signal })),
  };
  const unit = { url: "https://media.test/0.ts", byteRange: null };
  await expect(requestUnit({ ...deps, clock, source }, unit, signal)).rejects.toMatchObject({
    kind,
    message: "no data arrived for 25 seconds",
  });
});
