import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Scheduler } from "#service/ports/scheduler.ts";

export type SchedulerUnderTest = { readonly scheduler: Scheduler; close(): Promise<void> };

export function describeScheduler(name: string, open: () => Promise<SchedulerUnderTest>): void {
  describe(`${name} as the scheduler`, () => {
    let opened: SchedulerUnderTest;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    it("runs repeatedly", async () => {
      let runs = 0;
      opened.scheduler.every(10, "count", async () => {
        runs += 1;
      });
      await expect.poll(() => runs).toBeGreaterThanOrEqual(3);
    });

    it("never overlaps runs", async () => {
      let running = 0;
      let most = 0;
      let runs = 0;
      opened.scheduler.every(5, "slow", async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setTimeout(resolve, 30));
        running -= 1;
        runs += 1;
      });
      await expect.poll(() => runs).toBeGreaterThanOrEqual(3);
      expect(most).toBe(1);
    });

    it("runs again after a failed run", async () => {
      let runs = 0;
      opened.scheduler.every(10, "failing", async () => {
        runs += 1;
        throw new Error("This run fails");
      });
      await expect.poll(() => runs).toBeGreaterThanOrEqual(3);
    });
  });
}
