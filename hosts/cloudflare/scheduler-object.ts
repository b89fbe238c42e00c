import { DurableObject } from "cloudflare:workers";
import { systemClock } from "#hosts/ports/clock.ts";
import { migrate } from "#service/db/migrate.ts";
import { createLogger } from "#service/logger.ts";
import { createBeatScheduler, type BeatScheduler } from "./beat-scheduler.ts";
import type { Bindings } from "./bindings.ts";
import { openD1Database } from "./d1-database.ts";
import { openHostedService } from "./hosted-service.ts";
import { createWorkerLogSink } from "./log-sink.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { ResumeQueue } from "#service/ports/resume-queue.ts";

/**
 * The interval of the tasks that look for work (db/pending-work.ts). Each beat is a billed request
 * and a written row: 0.9 million of each a month, while one million requests and 50 million rows are
 * included.
 */
const BEAT_MS = 3_000;

/**
 * The deployment's only scheduler. It migrates the schema, then runs the service's tasks (sweeps,
 * probes, notifications, retention) on its alarm. It is always active, which fits the included
 * duration of one object.
 *
 * Alarms survive restarts and evictions. The next alarm is set before any work, so that no failure
 * breaks the chain; requests and the cron trigger set it again if it is missing.
 */
export class SchedulerObject extends DurableObject<Bindings> {
  private started: Promise<BeatScheduler> | null = null;

  /** Resolves once the schema is migrated and the alarm is set. */
  async wake(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null)
      await this.ctx.storage.setAlarm(Date.now() + BEAT_MS);
    await this.start();
  }

  /** Never throws: the runtime stops retrying an alarm after six failures. */
  override async alarm(): Promise<void> {
    await this.ctx.storage.setAlarm(Date.now() + BEAT_MS);
    try {
      const scheduler = await this.start();
      // Not awaited: a slow task must not delay the next beat.
      this.ctx.waitUntil(scheduler.beat());
    } catch (error) {
      createLogger(systemClock, createWorkerLogSink(console)).error(
        "The scheduler could not start; the next heartbeat tries again",
        { error },
      );
    }
  }

  private start(): Promise<BeatScheduler> {
    this.started ??= this.startService().catch((error: unknown) => {
      this.started = null;
      throw error;
    });
    return this.started;
  }

  private async startService(): Promise<BeatScheduler> {
    const logs = createWorkerLogSink(console);
    const log = createLogger(systemClock, logs);
    const isUpgraded = await migrate(openD1Database(this.env.DB), Date.now(), (_step, stepCount) =>
      log.info(`Upgrading the database (${stepCount} steps)`),
    );
    if (isUpgraded) log.info("The database is upgraded");
    const scheduler = createBeatScheduler(systemClock, logs);
    const hosted = await openHostedService(this.env, {
      scheduler,
      logs,
      archiveConcurrency: WOKEN_AT_A_TIME,
      wrapQueue: (queue) => withoutRepeats(queue, systemClock),
    });
    try {
      await hosted.service.openStore();
    } catch (error) {
      await hosted.end();
      throw error;
    }
    hosted.service.start({ streams: false, tasks: true });
    hosted.keepFlushing();
    return scheduler;
  }
}

/** Uploads that one sweep may wake while a place is free (service/storage/lease.ts). */
const WOKEN_AT_A_TIME = 20;

/** A wake-up sent this recently is not repeated. One for jobs is soon done, and others become due. */
const UPLOAD_ON_ITS_WAY_MS = 30_000;
const JOBS_ON_THEIR_WAY_MS = 9_000;

/**
 * For the sweeper and the jobs, which are looked for every few seconds: a waiting upload gets one
 * message every half minute instead of ten.
 */
function withoutRepeats(queue: ResumeQueue, clock: Clock): ResumeQueue {
  const arrivedByMs = new Map<string, number>();
  return {
    async send(message, delayMs) {
      const nowMs = clock.monotonic();
      for (const [sent, atMs] of arrivedByMs) if (nowMs >= atMs) arrivedByMs.delete(sent);
      const sent = JSON.stringify(message);
      if (arrivedByMs.has(sent)) return;
      const wayMs = "kind" in message ? JOBS_ON_THEIR_WAY_MS : UPLOAD_ON_ITS_WAY_MS;
      arrivedByMs.set(sent, nowMs + wayMs);
      await queue.send(message, delayMs);
    },
    backlog: () => queue.backlog(),
  };
}
