/** The real one: tests replace it. */
const { setTimeout: pause } = globalThis;

/**
 * Waits without advancing a fake clock. Vitest's own `waitFor` and `poll` advance it at each check, and
 * a busy machine needs more checks.
 */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => pause(resolve, 1));
}
