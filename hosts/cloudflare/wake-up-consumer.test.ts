import { expect, it } from "vitest";
import { systemClock } from "#hosts/ports/clock.ts";
import { createLogger } from "#service/logger.ts";
import {
  createWakeUpConsumer,
  type DeliveredBatch,
  type ServiceSlice,
} from "./wake-up-consumer.ts";

function batchOf(body: unknown): { batch: DeliveredBatch; fate: () => string } {
  let fate = "open";
  const settle = (how: string) => () => {
    fate = how;
  };
  const [ack, retry] = [settle("done"), settle("again")];
  const message = { id: "1", body, attempts: 1, ack, retry };
  return { batch: { messages: [message], ackAll: ack }, fate: () => fate };
}

function sliceOf(consume: ServiceSlice["consume"]): ServiceSlice {
  const log = createLogger(systemClock, { write: () => undefined });
  return { log, consume, end: async () => undefined };
}

const openJobs = async (): Promise<ServiceSlice> => sliceOf(async () => undefined);

it("an isolate runs one archive at a time beside jobs, and drops other archives' messages meanwhile", async () => {
  const consume = createWakeUpConsumer();
  const { promise: copied, resolve: finish } = Promise.withResolvers<void>();
  const [first, second, third] = ["a", "b", "c"].map((uploadId) => batchOf({ uploadId }));
  let slices = 0;
  const openSlice = async (): Promise<ServiceSlice> => {
    slices += 1;
    return sliceOf(() => copied);
  };
  if (first === undefined || second === undefined || third === undefined) return;
  const running = consume(first.batch, openSlice, openJobs);
  await consume(second.batch, openSlice, openJobs);
  expect([first.fate(), second.fate(), slices]).toEqual(["open", "done", 1]);
  const jobs: unknown[] = [];
  const { batch } = batchOf({ kind: "email" });
  await consume(batch, openSlice, async () => sliceOf(async (wakeUp) => void jobs.push(wakeUp)));
  expect(jobs).toEqual([{ kind: "email" }]);
  finish();
  await running;
  await consume(third.batch, openSlice, openJobs);
  expect([first.fate(), third.fate(), slices]).toEqual(["done", "done", 2]);
});

const failToOpen = async (): Promise<ServiceSlice> => {
  throw new Error("D1 is not available");
};

it("a slice that fails to open leaves the isolate free for the next message", async () => {
  const consume = createWakeUpConsumer();
  const opening = consume(batchOf({ uploadId: "a" }).batch, failToOpen, openJobs);
  await expect(opening).rejects.toThrow("D1 is not available");
  const next = batchOf({ uploadId: "b" });
  await consume(next.batch, async () => sliceOf(async () => undefined), openJobs);
  expect(next.fate()).toBe("done");
});
