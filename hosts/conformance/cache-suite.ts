import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Cache } from "#service/ports/cache.ts";

export type CacheUnderTest = {
  readonly cache: Cache;
  /** Advances the cache's clock; absent where time cannot be controlled. */
  readonly pass?: (ms: number) => void;
  close(): Promise<void>;
};

export function describeCache(name: string, open: () => Promise<CacheUnderTest>): void {
  describe(`${name} as the cache`, () => {
    let opened: CacheUnderTest;
    let cache: Cache;
    beforeEach(async () => {
      opened = await open();
      ({ cache } = opened);
    });
    afterEach(() => opened.close());

    it("returns stored values, and null for missing keys", async () => {
      await cache.set("a key / with ünicode", '{"a": "☃"}', 60_000);
      expect(await cache.get("a key / with ünicode")).toBe('{"a": "☃"}');
      expect(await cache.get("another")).toBeNull();
    });

    it("expires an entry after its lifetime", async () => {
      await cache.set("short", "x", 60_000);
      await cache.set("long", "y", 3_600_000);
      if (opened.pass === undefined) return;
      opened.pass(60_001);
      expect(await cache.get("short")).toBeNull();
      expect(await cache.get("long")).toBe("y");
    });

    it("removes all entries when cleared, and returns their number", async () => {
      await cache.set("a", "1", 60_000);
      await cache.set("b", "2", 60_000);
      await cache.set("a", "3", 60_000);
      expect(await cache.clear()).toBe(2);
      expect(await cache.get("b")).toBeNull();
      expect(await cache.clear()).toBe(0);
    });

    it("counts each entry once across concurrent clears", async () => {
      for (const key of ["a", "b", "c"]) await cache.set(key, "1", 60_000);
      const dropped = await Promise.all(Array.from({ length: 10 }, () => cache.clear()));
      expect(dropped.reduce((sum, count) => sum + count, 0)).toBe(3);
    });
  });
}
