import type { WakeUp } from "#service/ports/resume-queue.ts";

type Consume = (message: WakeUp) => Promise<void>;

let current: Consume = async () => undefined;

/** From now on the test Worker hands its queue's messages to `consume`. */
export function setConsumer(consume: Consume): void {
  current = consume;
}

export function consumeInTest(message: WakeUp): Promise<void> {
  return current(message);
}
