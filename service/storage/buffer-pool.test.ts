import { expect, it } from "vitest";
import { createBufferPool } from "./buffer-pool.ts";

const MIB = 1024 * 1024;

it("reuses buffers even when those in use exceed the limit", () => {
  const pool = createBufferPool(() => 16 * MIB);
  const made = new Set<Uint8Array>();
  let current = pool.take(9 * MIB);
  for (let turn = 0; turn < 20; turn += 1) {
    const next = pool.take(9 * MIB);
    made.add(current).add(next);
    pool.give(current);
    current = next;
  }
  expect(made.size).toBe(2);
});

it("releases unused buffers beyond the limit after it is lowered", () => {
  let boundMib = 40;
  const pool = createBufferPool(() => boundMib * MIB);
  const taken = Array.from({ length: 4 }, () => pool.take(10 * MIB));
  for (const buffer of taken) pool.give(buffer);
  boundMib = 10;
  pool.give(pool.take(10 * MIB));
  const again = Array.from({ length: 4 }, () => pool.take(10 * MIB));
  expect(again.filter((buffer) => taken.includes(buffer))).toHaveLength(1);
});

it("discards a small unused buffer in favor of a larger one", () => {
  const pool = createBufferPool(() => 10 * MIB);
  const small = pool.take(5 * MIB);
  pool.give(small);
  pool.give(pool.take(8 * MIB));
  expect(pool.take(5 * MIB)).not.toBe(small);
});
