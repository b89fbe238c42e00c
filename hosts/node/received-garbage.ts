import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Received chunks lie outside the JavaScript heap and are short-lived, but V8 runs a minor GC only when
 * the young generation is full of small objects, and gigabytes may arrive before. A minor GC after
 * this many bytes takes less than a millisecond.
 */
const COLLECT_AFTER_BYTES = 16 * 1024 * 1024;

/** Call `received` with all bytes that arrive from other servers. */
export function createGarbageWatch(): { received(sizeBytes: number): void } {
  const collect = openCollector();
  let sinceBytes = 0;
  return {
    received(sizeBytes) {
      sinceBytes += sizeBytes;
      if (sinceBytes < COLLECT_AFTER_BYTES) return;
      sinceBytes = 0;
      collect();
    },
  };
}

/** V8 exposes `gc` only in contexts created after this flag is set. */
function openCollector(): () => void {
  setFlagsFromString("--expose-gc");
  const gc: unknown = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  if (typeof gc !== "function") throw new Error("The runtime has no collector to call");
  return () => gc({ type: "minor" });
}
