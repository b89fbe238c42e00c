import type { WakeUp } from "#service/ports/resume-queue.ts";

type Consume = (message: WakeUp) => Promise<void>;

let current: Consume = async () => undefined;

/** Sets the function that receives the test Worker's queue messages from now on. */
export function setConsumer(consume: Consume): void {
  current = consume;
}

export function consumeInTest(message: WakeUp): Promise<void> {
  return current(message);
}
