import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { LiveEvent, LiveHub } from "#service/ports/live-hub.ts";

export type HubUnderTest = { readonly hub: LiveHub; close(): Promise<void> };

export function describeLiveHub(name: string, open: () => Promise<HubUnderTest>): void {
  describe(`${name} as the live hub`, () => {
    let opened: HubUnderTest;
    let hub: LiveHub;
    beforeEach(async () => {
      opened = await open();
      ({ hub } = opened);
    });
    afterEach(() => opened.close());

    async function listen(topic: string, lastEventId: number | null) {
      const events: LiveEvent[] = [];
      const subscription = await hub.subscribe(topic, lastEventId, (event) => events.push(event));
      return { events, ...subscription, texts: () => events.map((event) => event.data) };
    }

    it("delivers to every subscriber of a topic, in order and with consecutive ids", async () => {
      const [first, second, other] = [
        await listen("uploads", null),
        await listen("uploads", null),
        await listen("metrics", null),
      ];
      for (const text of ["a", "b", "c"]) await hub.publish("uploads", text);
      await expect.poll(() => first.texts()).toEqual(["a", "b", "c"]);
      await expect.poll(() => second.texts()).toEqual(["a", "b", "c"]);
      expect(first.events.map((event) => event.id)).toEqual([1, 2, 3].map((n) => first.lastId + n));
      expect(other.texts()).toEqual([]);
    });

    it("does not deliver earlier events to a new subscriber", async () => {
      await hub.publish("uploads", "before");
      const reader = await listen("uploads", null);
      expect(reader.missed).toBe(false);
      await hub.publish("uploads", "after");
      await expect.poll(() => reader.texts()).toEqual(["after"]);
    });

    it("catches a returning subscriber up without gaps or duplicates", async () => {
      const before = await listen("uploads", null);
      for (const text of ["a", "b", "c"]) await hub.publish("uploads", text);
      await expect.poll(() => before.events).toHaveLength(3);
      before.unsubscribe();
      await hub.publish("uploads", "d");
      const returned = await listen("uploads", before.events[0]?.id ?? null);
      await hub.publish("uploads", "e");
      await expect.poll(() => returned.texts()).toEqual(["b", "c", "d", "e"]);
      expect(returned.missed).toBe(false);
    });

    it("reports no missed events to a subscriber who is up to date", async () => {
      const before = await listen("uploads", null);
      await hub.publish("uploads", "a");
      await expect.poll(() => before.events).toHaveLength(1);
      const returned = await listen("uploads", before.events[0]?.id ?? null);
      expect(returned).toMatchObject({ missed: false, events: [] });
    });

    it("reports missed events that it no longer keeps", async () => {
      const before = await listen("uploads", null);
      for (let index = 0; index < 2_000; index++) await hub.publish("uploads", String(index));
      const late = await listen("uploads", before.lastId + 1);
      expect(late.missed).toBe(true);
      await hub.publish("uploads", "next");
      await expect.poll(() => late.texts()).toEqual(["next"]);
    });

    it("replays all events to the longest absent subscriber that missed none", async () => {
      const { lastId } = await listen("uploads", null);
      for (let index = 1; index <= 2_000; index++) await hub.publish("uploads", String(index));
      let [tooLong, oldest] = [lastId, lastId + 2_000];
      while (oldest - tooLong > 1) {
        const middle = Math.floor((tooLong + oldest) / 2);
        const { missed, unsubscribe } = await listen("uploads", middle);
        unsubscribe();
        if (missed) tooLong = middle;
        else oldest = middle;
      }
      const returned = await listen("uploads", oldest);
      await expect.poll(() => returned.events.at(-1)?.id).toBe(lastId + 2_000);
      expect(returned.events[0]?.id).toBe(oldest + 1);
      expect(returned.events).toHaveLength(lastId + 2_000 - oldest);
    });

    it.each([
      ["an earlier hub", 1],
      ["the future", Number.MAX_SAFE_INTEGER - 1],
    ])("reports missed events for an id from %s", async (_what, lastEventId) => {
      await hub.publish("uploads", "a");
      expect((await listen("uploads", lastEventId)).missed).toBe(true);
    });

    it("delivers nothing after unsubscribing", async () => {
      const [leaving, staying] = [await listen("uploads", null), await listen("uploads", null)];
      leaving.unsubscribe();
      leaving.unsubscribe();
      await hub.publish("uploads", "a");
      await expect.poll(() => staying.texts()).toEqual(["a"]);
      expect(leaving.texts()).toEqual([]);
    });
  });
}
