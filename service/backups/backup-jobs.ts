import type { ServiceContext } from "#service/context.ts";
import { NEVER_MS } from "#service/db/due-time.ts";
import { sql } from "#service/db/sql.ts";
import type { JobHandler } from "#service/jobs/job-runner.ts";
import { optionsOf } from "#service/jobs/job-kinds.ts";
import {
  again,
  end,
  type Job,
  type JobPlatform,
  keep,
  later,
  move,
  planOnce,
  SOLE,
} from "#service/jobs/jobs.ts";
import type { Statement } from "#service/ports/database.ts";
import { foreignWords } from "#service/secrets/foreign-words.ts";
import {
  announceFailure,
  type MadeBackup,
  readRecord,
  recordBackup,
  recordDamage,
  recordRestored,
} from "./backup-record.ts";
import { nextDueMs } from "./backup-times.ts";
import { makeBackup } from "./nightly-backup.ts";
import { AFTER_DAMAGE_MS, AFTER_SUCCESS_MS, testRestoring, type Tested } from "./restore-test.ts";

/** The start of a process has more urgent work, also where the last one died of a backup. */
const AFTER_START_MS = 600_000;

/**
 * For the start of a process: the jobs of a backup and of its restore test, which last as long as the
 * database. None on a host without snapshots, whose database has a history of its own.
 */
export async function planBackups({
  platform: { database, clock, snapshots },
}: Pick<ServiceContext, "platform">): Promise<readonly Statement[]> {
  if (snapshots === undefined) return [];
  const { backup_made_at: madeMs } = await readRecord(database);
  const earliestMs = clock.now() + AFTER_START_MS;
  const nightlyMs = nextDueMs(madeMs, clock.now());
  return [
    planOnce("backup", NEVER_MS),
    move("backup", SOLE, sql`${Math.max(nightlyMs, earliestMs)}`),
    planOnce("restoreTest", NEVER_MS),
    move("restoreTest", SOLE, sql`max(due_at, ${earliestMs})`),
  ];
}

/** Has a backup made within seconds. Changes no row if one is due or being made. */
export function requestBackup(nowMs: number): Statement {
  return move("backup", SOLE, sql`min(due_at, ${nowMs})`);
}

/** Makes a backup. The first one has the restore test begin. */
export function backupJob(context: ServiceContext): JobHandler {
  const { platform, log } = context;
  const { clock, snapshots } = platform;
  return {
    async run(job) {
      if (snapshots === undefined) {
        await end(platform, job);
        return;
      }
      let made: MadeBackup;
      try {
        made = await whileKept(platform, job, () => makeBackup(context, snapshots));
      } catch (error) {
        log.warn("The database could not be backed up", { error });
        const message = wordsOf(error);
        await again(platform, job, { message }, announceFailure(message, clock.now()));
        return;
      }
      const nowMs = clock.now();
      await later(platform, job, nextDueMs(made.atMs, nowMs), [
        recordBackup(made),
        move("restoreTest", SOLE, sql`iif(due_at = ${NEVER_MS}, ${nowMs}, due_at)`),
      ]);
    },
  };
}

/** Restores the newest backup in a test, and records what was found. */
export function restoreTestJob(context: ServiceContext): JobHandler {
  const { platform, log } = context;
  const { clock, snapshots } = platform;
  return {
    async run(job) {
      if (snapshots === undefined) {
        await end(platform, job);
        return;
      }
      let tested: Tested | null;
      try {
        tested = await whileKept(platform, job, () => testRestoring(context, snapshots));
      } catch (error) {
        // Nothing was learned: a backup that was found damaged stays so.
        log.warn("The newest backup could not be tested", { error });
        await again(platform, job, { message: wordsOf(error) });
        return;
      }
      const nowMs = clock.now();
      if (tested === null) await later(platform, job, nowMs + AFTER_DAMAGE_MS);
      else if ("damage" in tested)
        await later(platform, job, nowMs + AFTER_DAMAGE_MS, recordDamage(tested.damage, nowMs));
      else await later(platform, job, nowMs + AFTER_SUCCESS_MS, recordRestored(tested, nowMs));
    },
  };
}

/** Keeps the job's lease while the work goes on, however long a database takes. */
async function whileKept<T>(platform: JobPlatform, job: Job, work: () => Promise<T>): Promise<T> {
  const ending = new AbortController();
  async function keepOn(): Promise<void> {
    const pauseMs = optionsOf(job.kind).leaseMs / 5;
    for (;;) {
      await platform.clock.sleep(pauseMs, ending.signal);
      if (ending.signal.aborted) return;
      // Whoever took it meanwhile is met by the last write.
      await keep(platform, job).catch(() => undefined);
    }
  }
  const keeping = keepOn();
  try {
    return await work();
  } finally {
    ending.abort();
    await keeping;
  }
}

function wordsOf(error: unknown): string {
  return foreignWords(error instanceof Error ? error.message : String(error));
}
