import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Every socket read allocates memory outside the JavaScript heap. By default each 20 MB of it
 * forces a full GC: over a hundred for a VOD of 2 GB, and a quarter of the copy's CPU time. When it
 * is counted with the heap, the same memory causes five. Call this first.
 */
export function countSocketMemoryWithHeap(): void {
  setFlagsFromString("--external-memory-accounted-in-global-limit");
}

/**
 * Frees the part buffers of finished archives: V8 does not count this memory, so an idle process
 * would keep it. Takes about 20 ms.
 */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("gc");
  setFlagsFromString("--no-expose-gc");
  if (typeof collect === "function") collect();
}
