import { expect, it } from "vitest";
import { connectionLost } from "#service/source/upstream-request.ts";
import { createTestClock } from "#service/testing/test-clock.ts";
import { createBufferPool } from "#service/storage/buffer-pool.ts";
import { requestUnit } from "./unit-request.ts";

it("a lost connection is reported as unavailable, without a trailing full stop", async () => {
  const deps = {
    source: { fetch: () => Promise.reject(connectionLost("the media host", null)) },
    clock: createTestClock(),
    pool: createBufferPool(() => 0),
    onBytes: () => undefined,
    onSize: () => undefined,
  };
  const unit = { url: "https://media.test/0.ts", byteRange: null };
  await expect(requestUnit(deps, unit, new AbortController().signal)).rejects.toMatchObject({
    kind: "unavailable",
    message: "The connection to the media host failed",
  });
});
