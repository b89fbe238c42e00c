/**
 * V8's memory settings for the server; measured by `npm run bench -- archive`. While a VOD is
 * copied, gigabytes pass through short-lived buffers outside the JavaScript heap.
 *
 * With a young generation of 4 MB, a thousand event streams need two thirds of the CPU time that
 * they need with 1 MB (decision record 0095). Full GCs start at 64 MB of surviving memory instead
 * of at twice the small heap, where they took a fifth of a copy's CPU time.
 */
export const SERVER_FLAGS = ["--max-semi-space-size=4", "--initial-old-space-size=64"];

/**
 * glibc raises its mmap threshold to the largest buffer ever freed, after which large buffers
 * fragment its heaps; an explicit threshold stays fixed. Two arenas serve all threads.
 */
export const SERVER_ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: "262144", MALLOC_ARENA_MAX: "2" };
