import type { Backoff } from "./backoff.ts";

type KindOptions = Backoff & {
  /** For administrators. */
  readonly name: string;
  /** Jobs of the kind that one process runs at a time. */
  readonly places: number;
  /** Longer than a job goes without a write. A crashed host's jobs continue after this time. */
  readonly leaseMs: number;
  /** A run goes on for so long, or for so many steps of its work: then others have their turn. */
  readonly sliceMs?: number;
  readonly sliceSteps?: number;
  /** A message is given up after so many tries, or after so long. Everything else is tried for ever. */
  readonly maxAttempts?: number;
  readonly patienceMs?: number;
  /** If a job may wait for longer than a day without a fault. */
  readonly longestWaitMs?: number;
  /** Comes up again and again: listed as waiting only while it is due or fails. */
  readonly isRoutine?: boolean;
  /** The job makes room, so that its writes are allowed on a full disk. */
  readonly isEssential?: boolean;
};

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

const REMOVAL: KindOptions = {
  name: "Removal from the store",
  /** R2 and the database together may use six connections of a Worker. */
  places: 5,
  leaseMs: 30 * SECOND_MS,
  firstDelayMs: 2 * SECOND_MS,
  longestDelayMs: HOUR_MS,
  isEssential: true,
};

/** Of messages to a person or a program: the key is theirs, and what waits for them is a table of its own. */
const MESSAGES = {
  /** An attempt ends within 30 s. */
  leaseMs: 52 * SECOND_MS,
  firstDelayMs: 15 * SECOND_MS,
  longestDelayMs: 30 * MINUTE_MS,
};

/** Kinds of waiting work. The key of each is what its handler says. */
export const JOB_KINDS = {
  /** Unfinished multipart uploads in the store, which are removed. */
  abort: REMOVAL,
  /** The database's copy in the store. Repeated every ten minutes until one is made. */
  backup: {
    name: "Backup of the database",
    places: 1,
    leaseMs: 5 * MINUTE_MS,
    firstDelayMs: 10 * MINUTE_MS,
    longestDelayMs: 10 * MINUTE_MS,
  },
  /** Pending uploads of a user who was banned. */
  cancel: {
    name: "Uploads of a banned user",
    places: 1,
    leaseMs: 30 * SECOND_MS,
    /** Uploads. A ban's answer waits for this many, a few tenths of a second. */
    sliceSteps: 200,
    firstDelayMs: 5 * SECOND_MS,
    longestDelayMs: HOUR_MS,
    isEssential: true,
  },
  /** A chat replay. Twitch sees so many more readers; a chat waits for a page most of the time. */
  chat: {
    name: "Chat replay",
    places: 3,
    /** Longer than a page takes at a slow source. */
    leaseMs: 120 * SECOND_MS,
    /** So short that other chats do not wait for a long one, and that a Worker allows it. */
    sliceMs: 30 * SECOND_MS,
    firstDelayMs: MINUTE_MS,
    // A source that is down may be so for days.
    longestDelayMs: 6 * HOUR_MS,
    // What is short is read again after up to 16 days.
    longestWaitMs: 17 * 24 * HOUR_MS,
  },
  /** Messages to an administrator by mail. */
  email: { ...MESSAGES, name: "Mail", places: 1, maxAttempts: 20 },
  /** The names of erased people in a stored chat. */
  erasure: {
    name: "Erasure in a chat replay",
    places: 1,
    leaseMs: 120 * SECOND_MS,
    firstDelayMs: MINUTE_MS,
    longestDelayMs: HOUR_MS,
  },
  /** The library folder, which is compared with the stored files every minute. */
  library: {
    name: "Library folder",
    places: 1,
    /** A copy of a large file takes as long. */
    leaseMs: 6 * HOUR_MS,
    firstDelayMs: MINUTE_MS,
    // A disk that is mounted again is soon noticed.
    longestDelayMs: 2 * MINUTE_MS,
    // What was deleted frees its bytes.
    isEssential: true,
  },
  /** A channel's list of VODs at the source. The key is the channel. */
  list: {
    name: "List of VODs",
    // More would fail, too, while the source is down.
    places: 3,
    /** A request may wait a minute for Twitch's budget. */
    leaseMs: 120 * SECOND_MS,
    firstDelayMs: MINUTE_MS,
    longestDelayMs: 10 * MINUTE_MS,
    isRoutine: true,
  },
  /** The users of followed channels at the source. There is one. */
  profileCheck: {
    name: "Channels at the source",
    places: 1,
    /** A request may wait a minute for Twitch's budget. */
    leaseMs: 120 * SECOND_MS,
    firstDelayMs: MINUTE_MS,
    longestDelayMs: 10 * MINUTE_MS,
    isRoutine: true,
  },
  /** Uploads of a renamed owner in the search index. */
  reindex: {
    name: "Search for a renamed user",
    places: 1,
    leaseMs: 30 * SECOND_MS,
    firstDelayMs: 5 * SECOND_MS,
    longestDelayMs: HOUR_MS,
  },
  /** Objects in the store, which are removed. */
  removal: REMOVAL,
  /** A backup, which is restored into a temporary folder each week. */
  restoreTest: {
    name: "Test of a backup",
    places: 1,
    leaseMs: 5 * MINUTE_MS,
    longestWaitMs: 8 * 24 * HOUR_MS,
    firstDelayMs: HOUR_MS,
    longestDelayMs: HOUR_MS,
  },
  /** Messages to an administrator by Telegram. */
  telegram: { ...MESSAGES, name: "Telegram messages", places: 1, maxAttempts: 20 },
  /** Whether Twitch still works as the code assumes. There is one. */
  twitch: {
    name: "Check of Twitch",
    places: 1,
    leaseMs: 2 * MINUTE_MS,
    firstDelayMs: 5 * MINUTE_MS,
    longestDelayMs: 5 * MINUTE_MS,
    isRoutine: true,
  },
  /** Stored files, whose bytes are read again. The key is a file's, or the scrub's. */
  verify: {
    name: "Verification",
    // So that those of several files are not in memory.
    places: 1,
    /** A part of the largest file takes as long at a slow store. */
    leaseMs: 5 * MINUTE_MS,
    /** Of what somebody asked for; the scrub reads for half of each minute (proof/scrub.ts). */
    sliceMs: 55 * SECOND_MS,
    // What cannot be read holds up no other.
    firstDelayMs: HOUR_MS,
    longestDelayMs: HOUR_MS,
    isRoutine: true,
  },
  /** VODs that are or were stored, and those that lists lack, at the source. There is one. */
  vodCheck: {
    name: "VODs at the source",
    places: 1,
    /** Some requests to the web API, one after another. */
    leaseMs: 5 * MINUTE_MS,
    /** Requests for 100 VODs each. */
    sliceSteps: 5,
    firstDelayMs: MINUTE_MS,
    longestDelayMs: 10 * MINUTE_MS,
    isRoutine: true,
  },
  /** Events for a webhook. A receiver that does not answer keeps its place for up to 15 s; those share one. */
  webhook: {
    ...MESSAGES,
    name: "Webhook",
    places: 4,
    /** A receiver may be down for three days, and an hour so that an attempt follows them. */
    patienceMs: 73 * HOUR_MS,
  },
} satisfies Readonly<Record<string, KindOptions>>;

export type JobKind = keyof typeof JOB_KINDS;

export const KINDS: readonly JobKind[] = Object.keys(JOB_KINDS).filter(
  (kind): kind is JobKind => kind in JOB_KINDS,
);

export function optionsOf(kind: JobKind): KindOptions {
  return JOB_KINDS[kind];
}
