import { expect, it } from "vitest";
import { connectionLost } from "#service/source/upstream-request.ts";
import { createTestClock } from "#service/testing/test-clock.ts";
import { createBufferPool } from "#service/storage/buffer-pool.ts";
import { requestUnit } from "./unit-request.ts";

const unit = { url: "https://media.test/0.ts", byteRange: null };

function depsFor(fetch: () => Promise<Response>) {
  return {
    source: { fetch },
    clock: createTestClock(),
    pool: createBufferPool(() => 0),
    onBytes: () => undefined,
    onSize: () => undefined,
  };
}

it("a lost connection is reported as unavailable, without a trailing full stop", async () => {
  const deps = depsFor(() => Promise.reject(connectionLost("the media host", null)));
  await expect(requestUnit(deps, unit, new AbortController().signal)).rejects.toMatchObject({
    kind: "unavailable",
    message: "The connection to the media host failed",
  });
});

it("a host that ignores ranges is named as such", async () => {
  const deps = depsFor(() => Promise.resolve(new Response("the whole file")));
  const range = { ...unit, byteRange: { offset: 4, length: 5 } };
  await expect(requestUnit(deps, range, new AbortController().signal)).rejects.toMatchObject({
    kind: "corrupt",
    message: "the host does not support range requests",
  });
});
