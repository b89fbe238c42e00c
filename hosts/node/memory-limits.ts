import { setFlagsFromString } from "node:v8";

/**
 * Every socket read allocates memory outside the JavaScript heap. By default each 20 MB of it
 * forces a full GC: over a hundred for a VOD of 2 GB, and a quarter of the copy's CPU time. When it
 * is counted with the heap, the same memory causes five. Call this first.
 */
export function countSocketMemoryWithHeap(): void {
  setFlagsFromString("--external-memory-accounted-in-global-limit");
}
