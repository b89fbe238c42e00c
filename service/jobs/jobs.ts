import * as z from "zod/mini";
import { batchIf } from "#service/db/batch-if.ts";
import { isPast, LONGEST_WAIT_MS } from "#service/db/due-time.ts";
import { join, sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import type { Database, RunResult, Statement } from "#service/ports/database.ts";
import type { Random } from "#service/ports/random.ts";
import { backoffMs } from "./backoff.ts";
import { type JobKind, KINDS, optionsOf } from "./job-kinds.ts";

/*
 * A job is a row of `jobs`: work that waits, or that a runner does. There is one of a kind and key.
 *
 * - waiting: `lease_until` is null or past. It may be taken once `due_at` has come.
 * - running: `lease_until` is in the future. Each write of the runner prolongs it.
 *
 * | From    | By                                                          | To      |
 * | ------- | ----------------------------------------------------------- | ------- |
 * | -       | `plan`                                                      | waiting |
 * | waiting | `take`, if it is due                                        | running |
 * | running | `keep`                                                      | running |
 * | running | `end`, or `later` where no more waits                       | -       |
 * | running | `again` after a fault, `later` without one                  | waiting |
 * | running | its lease ends: the process has died                        | waiting |
 * | any     | `plan`: what its runner still does has no effect            | waiting |
 * | any     | `drop`                                                      | -       |
 *
 * Each lease draws a new epoch, and every write of its runner requires that epoch. A job that was
 * taken, planned or dropped since has another, or none: the whole batch is rolled back. The epoch
 * alone keeps writes safe; times only say when somebody may try.
 */
export type Job = {
  readonly kind: JobKind;
  readonly key: string;
  readonly epoch: number;
  /** Tries in a row, with this one. */
  readonly attempts: number;
  /** Condition on `jobs` under which it may be taken and written. */
  readonly mayRun: Statement;
};

/** Another runner or a change of the work has taken the job: stop without another write. */
export class JobLost extends Error {
  override readonly name = "JobLost";
}

/**
 * The key of a job that is the only one of its kind, or whose work is all of its kind that no other job
 * does. It comes after other keys, and so after jobs of the same time.
 */
export const SOLE = "~";

const ALWAYS = sql`TRUE`;
/** Assignments: nobody has the lease. */
const FREE = sql`epoch = 0, lease_until = NULL`;

/** Plans the job, if `condition` holds. What a runner of the same job still does has no effect. */
export function plan(
  kind: JobKind,
  key: string,
  dueAtMs: number,
  condition: Statement = ALWAYS,
): Statement {
  return planEach(kind, sql`SELECT ${key} AS key WHERE ${condition}`, dueAtMs);
}

/** {@link plan} for each `key` of a SELECT. */
export function planEach(kind: JobKind, keys: Statement, dueAtMs: number): Statement {
  return sql`INSERT INTO jobs (kind, key, due_at)
    SELECT ${kind}, key, ${dueAtMs} FROM (${keys}) WHERE TRUE
    ON CONFLICT DO UPDATE SET due_at = excluded.due_at, attempts = 0, ${FREE},
      error = NULL, failing_since_at = NULL`;
}

/** For a {@link SOLE} job that lasts as long as the database: plans it, unless there is one. */
export function planOnce(kind: JobKind, dueAtMs: number): Statement {
  return sql`INSERT OR IGNORE INTO jobs (kind, key, due_at) VALUES (${kind}, ${SOLE}, ${dueAtMs})`;
}

/**
 * For work that is added to what a job finds when it runs: plans the job for each `key`, or lets a
 * waiting one run at the earlier of both times. One that has failed keeps its pause.
 */
export function wakeEach(kind: JobKind, keys: Statement): Statement {
  return sql`INSERT INTO jobs (kind, key, due_at)
    SELECT ${kind}, key, due_at FROM (${keys}) WHERE TRUE
    ON CONFLICT DO UPDATE SET due_at = excluded.due_at
      WHERE attempts = 0 AND due_at > excluded.due_at`;
}

/** Ends the pause of a job that waits. */
export function hasten(kind: JobKind, key: string, atMs: number): Statement {
  return sql`UPDATE jobs SET due_at = ${atMs}, attempts = 0, error = NULL, failing_since_at = NULL
    WHERE kind = ${kind} AND key = ${key} AND lease_until IS NULL`;
}

/** Another time for a job that waits, in terms of its `due_at`. What failed is not forgotten. */
export function move(kind: JobKind, key: string, dueAt: Statement): Statement {
  return sql`UPDATE jobs SET due_at = ${dueAt}
    WHERE kind = ${kind} AND key = ${key} AND lease_until IS NULL AND due_at <> ${dueAt}`;
}

const LONG_KINDS = KINDS.flatMap((kind) => {
  const { longestWaitMs } = optionsOf(kind);
  return longestWaitMs === undefined ? [] : [sql`WHEN ${kind} THEN ${longestWaitMs}`];
});
const LONGEST_WAIT = sql`CASE jobs.kind ${join(LONG_KINDS, " ")} ELSE ${LONGEST_WAIT_MS} END`;

/** Condition on `jobs`: it may be taken now. */
export function isDue(nowMs: number): Statement {
  return sql`${hasCome(nowMs)} AND (lease_until IS NULL OR ${isPast(sql`lease_until`, nowMs)})`;
}

function hasCome(nowMs: number): Statement {
  return isPast(sql`due_at`, nowMs, LONGEST_WAIT);
}

/** How many jobs of a kind run, in all processes. */
export function countRunning(kind: JobKind | Statement, nowMs: number): Statement {
  return sql`(SELECT count(*) FROM jobs r WHERE r.kind = ${kind} AND r.lease_until IS NOT NULL
    AND NOT ${isPast(sql`r.lease_until`, nowMs)})`;
}

const takenRow = z.object({ key: z.string(), epoch: z.number(), attempts: z.number() });

/** Takes up to `limit` of the due jobs for which `mayRun`, a condition on `jobs`, holds. */
export async function take(
  { clock, database, random }: JobPlatform,
  kind: JobKind,
  limit: number | Statement,
  mayRun: Statement = ALWAYS,
): Promise<readonly Job[]> {
  const nowMs = clock.now();
  const { leaseMs, isEssential = false } = optionsOf(kind);
  // Two queries, each in the order of the index jobs_due. A single one would sort all jobs that wait.
  const first = (lease: Statement): Statement => sql`SELECT * FROM (
    SELECT key, due_at FROM jobs WHERE kind = ${kind} AND ${lease} AND ${hasCome(nowMs)} AND ${mayRun}
    ORDER BY due_at, key LIMIT ${limit})`;
  const { rows } = await database.run(
    sql`UPDATE jobs SET epoch = ${drawEpoch(random)}, attempts = attempts + 1,
        lease_until = ${nowMs + leaseMs}
      WHERE kind = ${kind} AND key IN (SELECT key FROM (${first(sql`lease_until IS NULL`)}
        UNION ALL ${first(sql`lease_until IS NOT NULL AND ${isPast(sql`lease_until`, nowMs)}`)}) ORDER BY due_at, key LIMIT ${limit})
      RETURNING key, epoch, attempts`,
    { isEssential },
  );
  return rows.map((row) => ({ kind, mayRun, ...takenRow.parse(row) }));
}

/** Of 48 bits, so that no two leases have the same; 0 is nobody's. */
function drawEpoch(random: Random): number {
  return random.bytes(6).reduce((sum, byte) => sum * 256 + byte, 0) || 1;
}

/** What jobs need of a platform. */
export type JobPlatform = Pick<Platform, "clock" | "database" | "random">;

/**
 * Writes while the job goes on, and prolongs the lease. This, {@link end}, {@link later} and
 * {@link again} are the only ways in which a runner writes: all statements take effect, or none.
 * @throws {JobLost}
 */
export async function keep(
  { clock, database }: Pick<JobPlatform, "clock" | "database">,
  job: Job,
  statements: readonly Statement[] = [],
): Promise<readonly RunResult[]> {
  const untilMs = clock.now() + optionsOf(job.kind).leaseMs;
  const renewal = sql`UPDATE jobs SET lease_until = ${untilMs} WHERE ${isOf(job)}`;
  return await write(database, job, [...statements, renewal]);
}

/** @throws {JobLost} */
export async function end(
  { database }: Pick<JobPlatform, "database">,
  job: Job,
  statements: readonly Statement[] = [],
): Promise<readonly RunResult[]> {
  return await write(database, job, [...statements, sql`DELETE FROM jobs WHERE ${isOf(job)}`]);
}

/** Ends jobs of one {@link take} with one write; those that were lost stay. */
export async function endEach(
  { database }: Pick<JobPlatform, "database">,
  jobs: readonly Job[],
): Promise<void> {
  const [first] = jobs;
  if (first === undefined) return;
  const keys = JSON.stringify(jobs.map(({ key }) => key));
  await database.run(
    sql`DELETE FROM jobs WHERE kind = ${first.kind} AND epoch = ${first.epoch}
      AND key IN (SELECT value FROM json_each(${keys}))`,
    { isEssential: optionsOf(first.kind).isEssential ?? false },
  );
}

/**
 * Ends the run without a fault. The job is due again at `dueAt`; where that is a subquery that finds
 * nothing, the job is done. So nothing that is planned beside it is missed.
 * @throws {JobLost}
 */
export async function later(
  { database }: Pick<JobPlatform, "database">,
  job: Job,
  dueAt: number | Statement,
  statements: readonly Statement[] = [],
): Promise<readonly RunResult[]> {
  const time = typeof dueAt === "number" ? sql`${dueAt}` : dueAt;
  const waiting = sql`UPDATE jobs SET due_at = ${time}, attempts = 0, ${FREE},
      error = NULL, failing_since_at = NULL WHERE ${isOf(job)} AND ${time} IS NOT NULL`;
  const done = sql`DELETE FROM jobs WHERE ${isOf(job)} AND epoch = ${job.epoch}`;
  return await write(database, job, [...statements, waiting, done]);
}

/** For {@link keep}: some of the work is done, so that its next fault is the first. */
export function advanced(job: Job): Statement {
  return sql`UPDATE jobs SET attempts = 1, error = NULL, failing_since_at = NULL
    WHERE ${isOf(job)}`;
}

export type Fault = {
  /** As a sentence, for administrators; null for one that says nothing about the job itself. */
  readonly message: string | null;
  readonly retryAfterMs?: number | null;
  readonly longestDelayMs?: number;
};

/**
 * Ends the run after a fault. The job is due again after a pause that grows with each fault in a
 * row.
 * @throws {JobLost}
 */
export async function again(
  { clock, database, random }: JobPlatform,
  job: Job,
  { message, retryAfterMs = null, longestDelayMs = Infinity }: Fault,
  statements: readonly Statement[] = [],
): Promise<readonly RunResult[]> {
  const nowMs = clock.now();
  const usual = optionsOf(job.kind);
  const backoff = { ...usual, longestDelayMs: Math.min(usual.longestDelayMs, longestDelayMs) };
  const pauseMs = backoffMs(backoff, job.attempts, random, retryAfterMs);
  const sinceMs = message === null ? null : nowMs;
  const waiting = sql`UPDATE jobs SET due_at = ${nowMs + pauseMs}, ${FREE},
      error = coalesce(${message}, error),
      failing_since_at = coalesce(failing_since_at, ${sinceMs})
    WHERE ${isOf(job)}`;
  return await write(database, job, [waiting, ...statements]);
}

/**
 * Gives back a job that was not tried, since the process stops.
 * @throws {JobLost}
 */
export async function giveBack(
  { database }: Pick<JobPlatform, "database">,
  job: Job,
): Promise<void> {
  await write(database, job, [
    sql`UPDATE jobs SET attempts = attempts - 1, ${FREE} WHERE ${isOf(job)}`,
  ]);
}

/** Nobody does the job any more, if `condition` holds. */
export function drop(kind: JobKind, key: string, condition: Statement = ALWAYS): Statement {
  return sql`DELETE FROM jobs WHERE kind = ${kind} AND key = ${key} AND ${condition}`;
}

/**
 * What runners of the jobs of these keys still do has no effect. The jobs are due as before, or at
 * `dueAtMs` if that is sooner; what failed is not forgotten.
 */
export function interruptEach(
  kind: JobKind,
  keys: Statement,
  dueAtMs = Number.MAX_SAFE_INTEGER,
): Statement {
  return sql`UPDATE jobs SET due_at = min(due_at, ${dueAtMs}), ${FREE}
    WHERE kind = ${kind} AND key IN (${keys})`;
}

/** Before a sole writer's first run: what a crashed process held is free. */
export function releaseJobs(): Statement {
  return sql`UPDATE jobs SET ${FREE} WHERE lease_until IS NOT NULL`;
}

function isOf({ kind, key }: Job): Statement {
  return sql`kind = ${kind} AND key = ${key}`;
}

/** For an action that is a batch of its own: its condition that the job's lease holds. */
export function isHeld(job: Job): Statement {
  return sql`EXISTS (SELECT 1 FROM jobs
    WHERE ${isOf(job)} AND epoch = ${job.epoch} AND ${job.mayRun})`;
}

async function write(
  database: Database,
  job: Job,
  statements: readonly Statement[],
): Promise<readonly RunResult[]> {
  const { isEssential = false } = optionsOf(job.kind);
  const results = await batchIf(database, isHeld(job), statements, { isEssential });
  if (results === null) throw new JobLost(`Another runner has the job ${job.kind} ${job.key}`);
  return results;
}
