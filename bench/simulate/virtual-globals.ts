import type { Timeline } from "./timeline.ts";

/**
 * Replaces what the service takes from its runtime instead of from a port: timers run on the
 * timeline, and WebCrypto, which works on other threads, answers in the order of the calls.
 * Returns the function that restores the originals.
 */
export function useVirtualGlobals(timeline: Timeline): () => void {
  const originals = { setTimeout, clearTimeout, timeout: Reflect.get(AbortSignal, "timeout") };
  const cleared = new Set<unknown>();
  let timers = 0;
  const virtual = {
    setTimeout(run: () => void, ms = 0) {
      timers += 1;
      const id = timers;
      timeline.at(ms, () => {
        if (!cleared.delete(id)) run();
      });
      return id;
    },
    clearTimeout: (id: unknown) => void cleared.add(id),
  };
  Object.assign(globalThis, virtual);
  AbortSignal.timeout = (ms) => {
    const control = new AbortController();
    timeline.at(ms, () => control.abort(new DOMException("Timed out", "TimeoutError")));
    return control.signal;
  };
  const restoreCrypto = replaceCrypto(timeline);
  return () => {
    Object.assign(globalThis, {
      setTimeout: originals.setTimeout,
      clearTimeout: originals.clearTimeout,
    });
    AbortSignal.timeout = originals.timeout;
    restoreCrypto();
  };
}

const CRYPTO_CALLS = ["importKey", "deriveKey", "sign", "verify", "encrypt", "decrypt", "digest"];

function replaceCrypto(timeline: Timeline): () => void {
  const { subtle } = globalThis.crypto;
  for (const name of CRYPTO_CALLS) {
    const original: unknown = Reflect.get(subtle, name);
    if (typeof original !== "function") continue;
    Reflect.set(
      subtle,
      name,
      (...input: unknown[]) =>
        new Promise((resolve, reject) => {
          timeline.at(0, () =>
            Promise.resolve(Reflect.apply(original, subtle, input)).then(resolve, reject),
          );
        }),
    );
  }
  return () => {
    for (const name of CRYPTO_CALLS) Reflect.deleteProperty(subtle, name);
  };
}
