/**
 * The platform's limits on the Workers Paid plan, as its documentation states them. `page` is the
 * path under developers.cloudflare.com.
 */
export const LIMITS = {
  queueConsumers: {
    name: "consumers of one queue at a time",
    value: 250,
    page: "queues/platform/limits",
  },
  queueMessagesPerSec: {
    name: "messages a second of one queue",
    value: 5_000,
    page: "queues/platform/limits",
  },
  databaseBytes: {
    name: "bytes of one D1 database",
    value: 10e9,
    page: "d1/platform/limits",
  },
  databases: {
    name: "D1 databases of an account",
    value: 50_000,
    page: "d1/platform/limits",
  },
  databaseBytesOfAccount: {
    name: "bytes of all its databases, raised on request",
    value: 1e12,
    page: "d1/platform/limits",
  },
  durableObjectRequestsPerSec: {
    name: "requests a second of one Durable Object, about",
    value: 1_000,
    page: "durable-objects/platform/limits",
  },
  isolateBytes: {
    name: "bytes of memory of an isolate, for all that runs in it",
    value: 128e6,
    page: "workers/platform/limits",
  },
  connections: {
    name: "connections of an invocation that await an answer",
    value: 6,
    page: "workers/platform/limits",
  },
} as const;

/**
 * What no page states and nobody here has measured on an account. Everything that rests on one of
 * these moves in proportion with it; change it and run `npm run bench -- scale -- --write`.
 */
export const ASSUMED = {
  /** From the source's servers through one slice into R2. */
  sliceBytesPerSec: 20e6,
  /** A D1 database runs one statement after the other: 5 ms for a batch that writes is 200 a second. */
  databaseWriteMs: 5,
  /** Work given to a part that can do 100: above it, queues grow out of bounds with the day's peaks. */
  usableShare: 0.7,
} as const;
