import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { createBufferPool } from "#service/storage/buffer-pool.ts";
import { collectGarbage } from "./memory-limits.ts";

it("frees the part buffers of a finished archive", async () => {
  const parts = Array.from({ length: 4 }, () => {
    const part = createBufferPool(() => 0, { isShared: true }).take(8 * 1024 * 1024);
    return new WeakRef(part.buffer);
  });
  // A WeakRef keeps its target until the end of the turn.
  await nextTurn();
  collectGarbage();
  expect(parts.map((part) => part.deref())).toEqual(parts.map(() => undefined));
});
