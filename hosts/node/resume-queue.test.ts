import { describe, expect, it } from "vitest";
import { describeResumeQueue } from "#hosts/conformance/resume-queue-suite.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { createResumeQueue } from "./resume-queue.ts";
import { createManualClock } from "./testing/manual-clock.ts";
import { createRecordingLogs } from "./testing/recording-logs.ts";

describeResumeQueue("The in-process queue", async () => {
  const queue = createResumeQueue({
    clock: systemClock,
    logs: createRecordingLogs(),
    concurrency: 2,
  });
  return { queue, attach: (consume) => queue.attach(consume), close: () => queue.stop() };
});

describe("the in-process queue", () => {
  it("keeps messages sent before a consumer is attached", async () => {
    const { queue } = open();
    await queue.send({ uploadId: "early" });
    const received: unknown[] = [];
    queue.attach(async (wakeUp) => void received.push(wakeUp));
    expect(received).toEqual([{ uploadId: "early" }]);
  });

  it("limits concurrent uploads, and never processes an upload twice concurrently", async () => {
    const { queue } = open(2);
    const running: string[] = [];
    const ends: (() => void)[] = [];
    queue.attach((wakeUp) => {
      running.push(...Object.values(wakeUp));
      return new Promise((resolve) => ends.push(resolve));
    });
    for (const uploadId of ["a", "a", "b", "c"]) await queue.send({ uploadId });
    expect(running).toEqual(["a", "b"]);
    ends.shift()?.();
    await expect.poll(() => running).toEqual(["a", "b", "a"]);
    ends.shift()?.();
    await expect.poll(() => running).toEqual(["a", "b", "a", "c"]);
    for (const end of ends) end();
  });

  it("merges waiting messages of one upload, keeping the earliest time", async () => {
    const { clock, queue } = open();
    const received: unknown[] = [];
    queue.attach(async (wakeUp) => void received.push(wakeUp));
    await queue.send({ uploadId: "a" }, 60_000);
    await queue.send({ uploadId: "a" }, 1_000);
    await queue.send({ uploadId: "a" }, 30_000);
    expect(await queue.backlog()).toMatchObject({ count: 1 });
    clock.pass(1_000);
    await expect.poll(() => received).toEqual([{ uploadId: "a" }]);
    clock.pass(120_000);
    expect(await queue.backlog()).toEqual({ count: 0 });
  });

  it("drops a message after its fourth failure, and logs each failure", async () => {
    const { clock, logs, queue } = open();
    let tries = 0;
    queue.attach(async () => {
      tries += 1;
      throw new Error("Always");
    });
    await queue.send({ uploadId: "poison" });
    for (const [done, delayMs] of [1_000, 5_000, 30_000].entries()) {
      await expect.poll(() => logs.records).toHaveLength(done + 1);
      expect(tries).toBe(done + 1);
      clock.pass(delayMs);
    }
    await expect.poll(() => logs.records.at(-1)?.level).toBe("error");
    expect(tries).toBe(4);
    expect(await queue.backlog()).toMatchObject({ count: 0 });
  });

  it("stops once the running message is processed, without starting another", async () => {
    const { queue } = open();
    const ends: (() => void)[] = [];
    queue.attach(() => new Promise((resolve) => ends.push(resolve)));
    await queue.send({ uploadId: "a" });
    let stopped = false;
    const stopping = (async () => {
      await queue.stop();
      stopped = true;
    })();
    await queue.send({ uploadId: "b" });
    expect(stopped).toBe(false);
    ends.shift()?.();
    await stopping;
    expect(ends).toEqual([]);
  });
});

function open(concurrency = 2) {
  const clock = createManualClock(0);
  const logs = createRecordingLogs();
  return { clock, logs, queue: createResumeQueue({ clock, logs, concurrency }) };
}
