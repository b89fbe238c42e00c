/** The real one: tests replace it. */
const { setTimeout: pause } = globalThis;

/**
 * Waits without letting faked time pass: Vitest's own ways to wait advance it at each look, so that a
 * busy machine, which needs more looks, would let more of it pass.
 */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => pause(resolve, 1));
}
