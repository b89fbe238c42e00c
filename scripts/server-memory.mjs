/**
 * How the server's process treats memory; measured by `npm run bench -- archive`. While a VOD is
 * copied, gigabytes pass through short-lived buffers outside the JavaScript heap.
 *
 * With a nursery of 4 MB a thousand event streams take two thirds of the processor time that they take
 * with 1 MB (decision record 0095). Full collections begin at 64 MB of everything that outlives it,
 * instead of at twice the little heap that is there: they took a fifth of the copy's processor time.
 */
export const SERVER_FLAGS = ["--max-semi-space-size=4", "--initial-old-space-size=64"];

/**
 * glibc raises its threshold for separate mappings to the largest buffer ever freed, after which
 * big buffers fragment its heaps; naming the threshold keeps it. Two heaps serve all threads.
 */
export const SERVER_ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: "262144", MALLOC_ARENA_MAX: "2" };
