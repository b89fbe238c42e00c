import type { ServiceContext } from "#service/context.ts";
import { LOOK_EVERY_MS, type PendingWork } from "#service/db/pending-work.ts";
import { sql } from "#service/db/sql.ts";
import { backoffMs } from "#service/jobs/backoff.ts";
import type { JobRunner } from "#service/jobs/job-runner.ts";
import { DeliveryError } from "./channel.ts";
import { messagePrefix } from "./message-text.ts";
import type { Messaging } from "./messaging.ts";
import { fanOutEvents, WAITING_EVENTS } from "./outbox.ts";
import { createTelegramBot } from "./telegram-bot.ts";

/** Length of a long poll; Telegram answers it as soon as someone writes to the bot. */
const POLL_WAIT_SEC = 25;
const POLL_EVERY_MS = 2_000;

const PAUSES = { firstDelayMs: 15_000, longestDelayMs: 30 * 60_000 };

/**
 * One task fans out events to jobs, which send them (delivery-round.ts, webhooks/). `stop` aborts the long poll of the bot, so that shutdown does not wait
 * for it.
 */
export function scheduleNotifications(
  context: ServiceContext,
  pending: PendingWork,
  messaging: Messaging,
  jobs: Pick<JobRunner, "round">,
): { stop(): void } {
  const { platform, settings, log } = context;
  const { scheduler } = platform;
  const stopping = new AbortController();
  const fanOut = pending.when(sql`SELECT 1 FROM ${WAITING_EVENTS}`, async () => {
    await fanOutEvents(platform, messaging.senders);
    await jobs.round();
  });
  scheduler.every(LOOK_EVERY_MS, "notifications: spread", fanOut);
  if (messaging.telegramApi !== null) {
    const answerMessages = createTelegramBot(messaging.telegramApi, {
      prefix: messagePrefix(settings),
      waitSec: POLL_WAIT_SEC,
      log,
    });
    const poll = () => answerMessages(stopping.signal);
    scheduler.every(POLL_EVERY_MS, "telegram bot", patiently(context, poll, stopping.signal));
  }
  return {
    stop() {
      stopping.abort();
    },
  };
}

/**
 * Backs off after failures. Logs only the second in a row, as a single one may be a moment or the end
 * of a stand-in that is stopped together with this process, and the recovery.
 */
function patiently(
  { platform, log }: ServiceContext,
  poll: () => Promise<void>,
  stopping: AbortSignal,
): () => Promise<void> {
  let failures = 0;
  let notBeforeMs = 0;
  return async () => {
    if (stopping.aborted || platform.clock.monotonic() < notBeforeMs) return;
    try {
      await poll();
      if (failures > 1) log.info("The Telegram bot receives messages again");
      failures = 0;
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      if (stopping.aborted) return;
      failures += 1;
      notBeforeMs =
        platform.clock.monotonic() +
        backoffMs(PAUSES, failures, platform.random, error.retryAfterMs);
      if (failures === 2)
        log.warn("The Telegram bot cannot receive messages", { reason: error.message });
    }
  };
}
