import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import { DatabaseError, type Statement } from "#service/ports/database.ts";
import { isAway, StoreError } from "#service/ports/object-store.ts";
import { SourceError } from "#service/source/source-error.ts";
import { type JobKind, KINDS, optionsOf } from "./job-kinds.ts";
import {
  again,
  countRunning,
  endEach,
  giveBack,
  isDue,
  type Job,
  JobLost,
  type JobPlatform,
  take,
} from "./jobs.ts";

type JobContext = Pick<ServiceContext, "log"> & { readonly platform: JobPlatform };
type RunnerContext = JobContext & { readonly platform: Pick<Platform, "queue" | "runtime"> };

/** What is done for the jobs of a kind. */
export type JobHandler = {
  /** Condition on `jobs` without which none is taken or written. */
  readonly mayRun?: Statement;
  /**
   * Does the job and ends it: by `end`, `later` or `again`; or says that it is done, for the runner to
   * end it. A fault that it throws is logged, and the job is tried again. After one, or if it says that
   * it has failed, the next round begins the others. When `signal` aborts, the process stops.
   */
  run(job: Job, signal: AbortSignal): Promise<void | "done" | "failed">;
};

export type JobHandlers = Readonly<Record<JobKind, JobHandler>>;

/** Runs waiting work. The database decides what is due, and how many of a kind run in all processes. */
export type JobRunner = {
  /**
   * Wakes the kinds of which a job is due and a place is free; call every few seconds. A sole writer
   * begins the jobs itself, others send a message for each kind.
   */
  round(): Promise<void>;
  /** For such a message: runs what is due, as far as there are places, for about a slice. */
  run(kind: string): Promise<void>;
  /** Resolves once nothing runs. */
  settled(): Promise<void>;
  /** Ends what runs, and begins no more. */
  stop(): Promise<void>;
};

/** The jobs of one message, or of a whole process. A message may be ended before they are. */
type Turn = {
  /** None is taken from then on. */
  readonly untilMs: number;
  readonly runs: Set<Promise<void>>;
  readonly taken: Map<JobKind, number>;
};

function newTurn(untilMs: number): Turn {
  return { untilMs, runs: new Set(), taken: new Map() };
}

function count({ taken }: Turn, kind: JobKind, change: number): void {
  taken.set(kind, (taken.get(kind) ?? 0) + change);
}

async function ended({ runs }: Turn): Promise<void> {
  while (runs.size > 0) await Promise.all(runs);
}

export function createJobRunner(context: RunnerContext, handlers: JobHandlers): JobRunner {
  const { database, clock, queue, runtime } = context.platform;
  const stopping = new AbortController();
  const ownTurn = newTurn(Infinity);

  async function fill(kind: JobKind, turn: Turn): Promise<void> {
    const { places } = optionsOf(kind);
    const free = places - (turn.taken.get(kind) ?? 0);
    if (free <= 0 || stopping.signal.aborted || clock.monotonic() >= turn.untilMs) return;
    count(turn, kind, free);
    let begun = 0;
    try {
      const limit = sql`max(0, min(${free}, ${places} - ${countRunning(kind, clock.now())}))`;
      const jobs = await take(context.platform, kind, limit, handlers[kind].mayRun);
      begun = jobs.length;
      for (const job of jobs) begin(job, turn);
    } finally {
      count(turn, kind, begun - free);
    }
  }

  function begin(job: Job, turn: Turn): void {
    const run = runOne(job, turn).finally(() => turn.runs.delete(run));
    turn.runs.add(run);
  }

  async function runOne(job: Job, turn: Turn): Promise<void> {
    try {
      const outcome = await runJob(context, handlers[job.kind], job, stopping.signal);
      count(turn, job.kind, -1);
      if (outcome === "done") await endEach(context.platform, [job]);
      if (outcome !== "failed") await fill(job.kind, turn);
    } catch (error) {
      context.log.warn("Waiting work will be looked for again", { kind: job.kind, error });
    }
  }

  return {
    async round() {
      const due = await database.all(sql`SELECT kind FROM (${dueKinds(clock.now())})`);
      const names = due.map(({ kind }) => kind);
      const wake = runtime.isSoleWriter
        ? (kind: JobKind) => fill(kind, ownTurn)
        : (kind: JobKind) => queue.send({ kind });
      await Promise.all(KINDS.filter((kind) => names.includes(kind)).map(wake));
    },
    async run(name) {
      const kind = KINDS.find((known) => known === name);
      // Of another version, which finds its jobs in the table.
      if (kind === undefined) return;
      const turn = newTurn(clock.monotonic() + runtime.sliceMs);
      await fill(kind, turn);
      await ended(turn);
    },
    settled: () => ended(ownTurn),
    async stop() {
      stopping.abort(new Error("The service stops"));
      await ended(ownTurn);
    },
  };
}

const PLACES = JSON.stringify(
  Object.fromEntries(KINDS.map((kind) => [kind, optionsOf(kind).places])),
);

/** Selects the kinds that have a due job and a free place. */
export function dueKinds(nowMs: number): Statement {
  return sql`SELECT k.key AS kind FROM json_each(${PLACES}) AS k
    WHERE EXISTS (SELECT 1 FROM jobs WHERE kind = k.key AND ${isDue(nowMs)})
      AND ${countRunning(sql`k.key`, nowMs)} < k.value`;
}

/** So few that the last ones keep their leases meanwhile. */
const ROUNDS_PER_TAKE = 3;

/** Runs the due jobs of one kind, about `limit` of them, for a caller who waits for them. */
export async function runDue(
  context: JobContext,
  kind: JobKind,
  handler: JobHandler,
  limit: number,
): Promise<void> {
  const { signal } = new AbortController();
  const { places } = optionsOf(kind);
  const atOnce = places * ROUNDS_PER_TAKE;
  for (let left = limit; left > 0; left -= atOnce) {
    const jobs = await take(context.platform, kind, Math.min(left, atOnce), handler.mayRun);
    const done: Job[] = [];
    let hasFailed = true;
    for (let from = 0; from < jobs.length; from += places)
      await Promise.all(
        jobs.slice(from, from + places).map(async (job) => {
          const outcome = await runJob(context, handler, job, signal);
          if (outcome === "done") done.push(job);
          hasFailed &&= outcome === "failed";
        }),
      );
    await endEach(context.platform, done);
    if (jobs.length < atOnce || hasFailed) return;
  }
}

/** A store that is away answers again when its probes say so; those are no further apart. */
const MAX_AWAY_DELAY_MS = 60_000;

/** Never rejects for a fault of the job. */
async function runJob(
  { platform, log }: JobContext,
  handler: JobHandler,
  job: Job,
  signal: AbortSignal,
): Promise<"done" | "ended" | "failed"> {
  const { kind, key } = job;
  try {
    return (await handler.run(job, signal)) ?? "ended";
  } catch (error) {
    await recordFault(error).catch((unrecorded: unknown) => {
      // The lease expires.
      if (!(unrecorded instanceof JobLost))
        log.warn("The end of a job could not be recorded", { kind, key, error: unrecorded });
    });
    return error instanceof JobLost ? "ended" : "failed";
  }

  async function recordFault(error: unknown): Promise<void> {
    if (error instanceof JobLost) return;
    if (signal.aborted) {
      await giveBack(platform, job);
      return;
    }
    if (error instanceof StoreError && isAway(error)) {
      await again(platform, job, { message: null, longestDelayMs: MAX_AWAY_DELAY_MS });
      return;
    }
    const isFault = [SourceError, StoreError, DatabaseError].some((of) => error instanceof of);
    log[isFault ? "warn" : "error"]("A job failed; it will be tried again", { kind, key, error });
    const message = error instanceof Error ? error.message : String(error);
    const retryAfterMs = error instanceof SourceError ? error.retryAfterMs : null;
    await again(platform, job, { message, retryAfterMs });
  }
}
