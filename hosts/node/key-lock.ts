type KeyLock = <T>(key: string, run: () => Promise<T>) => Promise<T>;

/** Serializes operations on the same key; different keys run concurrently. */
export function createKeyLock(): KeyLock {
  const tails = new Map<string, Promise<unknown>>();
  return async (key, run) => {
    const before = tails.get(key) ?? Promise.resolve();
    const mine = before.then(run, run);
    const settled = mine.catch(() => undefined);
    tails.set(key, settled);
    try {
      return await mine;
    } finally {
      if (tails.get(key) === settled) tails.delete(key);
    }
  };
}
