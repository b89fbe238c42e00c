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

it("an isolate runs one slice at a time, and drops messages received meanwhile", async () => {
  const consume = createWakeUpConsumer();
  const { promise: copied, resolve: finish } = Promise.withResolvers<void>();
  const [first, second, third] = ["a", "b", "c"].map((uploadId) => batchOf({ uploadId }));
  let slices = 0;
  const openSlice = async (): Promise<ServiceSlice> => {
    slices += 1;
    return sliceOf(() => copied);
  };
  if (first === undefined || second === undefined || third === undefined) return;
  const running = consume(first.batch, openSlice);
  await consume(second.batch, openSlice);
  expect([first.fate(), second.fate(), slices]).toEqual(["open", "done", 1]);
  finish();
  await running;
  await consume(third.batch, openSlice);
  expect([first.fate(), third.fate(), slices]).toEqual(["done", "done", 2]);
});

it("a slice that fails to open leaves the isolate free for the next message", async () => {
  const consume = createWakeUpConsumer();
  const opening = consume(batchOf({ uploadId: "a" }).batch, async () => {
    throw new Error("D1 is not available");
  });
  await expect(opening).rejects.toThrow("D1 is not available");
  const next = batchOf({ uploadId: "b" });
  await consume(next.batch, async () => sliceOf(async () => undefined));
  expect(next.fate()).toBe("done");
});
