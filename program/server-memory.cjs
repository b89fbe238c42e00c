/**
 * V8's memory settings for the server; measured by `npm run bench -- archive`. While a VOD is
 * copied, gigabytes pass through short-lived buffers outside the JavaScript heap.
 *
 * With a young generation of 2 MB, a thousand event streams need two thirds of the CPU time that
 * they need with 1 MB; with 4 MB an archive takes 50 MB more (decision record 0019).
 */
exports.SERVER_FLAGS = ["--max-semi-space-size=2"];

/**
 * glibc raises its mmap threshold to the largest buffer ever freed, after which large buffers
 * fragment its heaps; an explicit threshold stays fixed. Two arenas serve all threads.
 */
exports.SERVER_ALLOCATOR = { MALLOC_MMAP_THRESHOLD_: "262144", MALLOC_ARENA_MAX: "2" };
