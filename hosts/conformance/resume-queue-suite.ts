import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ResumeQueue, WakeUp } from "#service/ports/resume-queue.ts";

export type QueueUnderTest = {
  readonly queue: ResumeQueue;
  /** Sets the consumer of messages from now on. */
  attach(consume: (message: WakeUp) => Promise<void>): void;
  close(): Promise<void>;
};

export function describeResumeQueue(name: string, open: () => Promise<QueueUnderTest>): void {
  describe(`${name} as the VOD Resume Queue`, () => {
    let opened: QueueUnderTest;
    let received: string[];
    beforeEach(async () => {
      opened = await open();
      received = [];
    });
    afterEach(() => opened.close());

    const note = async ({ uploadId }: WakeUp): Promise<void> => {
      received.push(uploadId);
    };

    it("delivers each upload's wake-up at least once", async () => {
      opened.attach(note);
      const ids = Array.from({ length: 20 }, (_, index) => `upload-${index}`);
      for (const uploadId of ids) await opened.queue.send({ uploadId });
      await expect.poll(() => new Set(received)).toEqual(new Set(ids));
    });

    it("redelivers a message after the consumer fails", async () => {
      let tries = 0;
      opened.attach(async () => {
        tries += 1;
        if (tries === 1) throw new Error("Not now");
      });
      await opened.queue.send({ uploadId: "hard" });
      await expect.poll(() => tries).toBeGreaterThanOrEqual(2);
    });

    it("delivers a message only after its delay", async () => {
      opened.attach(note);
      const sentMs = performance.now();
      await opened.queue.send({ uploadId: "later" }, 1_000);
      await opened.queue.send({ uploadId: "now" });
      await expect.poll(() => received).toContain("later");
      expect(received.indexOf("now")).toBeLessThan(received.indexOf("later"));
      expect(performance.now() - sentMs).toBeGreaterThanOrEqual(990);
    });
  });
}
