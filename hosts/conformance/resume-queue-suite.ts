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
    let received: WakeUp[];
    beforeEach(async () => {
      opened = await open();
      received = [];
    });
    afterEach(() => opened.close());

    const note = async (wakeUp: WakeUp): Promise<void> => void received.push(wakeUp);

    it("delivers each wake-up at least once, as it was sent", async () => {
      opened.attach(note);
      const sent = Array.from({ length: 10 }, (_, index) => [
        { uploadId: `upload-${index}` },
        { kind: `kind-${index}` },
      ]).flat();
      for (const wakeUp of sent) await opened.queue.send(wakeUp);
      await expect.poll(() => received).toEqual(expect.arrayContaining(sent));
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
      await expect.poll(() => received).toContainEqual({ uploadId: "later" });
      expect(received[0]).toEqual({ uploadId: "now" });
      expect(performance.now() - sentMs).toBeGreaterThanOrEqual(990);
    });
  });
}
