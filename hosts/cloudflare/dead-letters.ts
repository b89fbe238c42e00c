import { systemClock } from "#hosts/ports/clock.ts";
import { createLogger } from "#service/logger.ts";
import type { Database } from "#service/ports/database.ts";
import type { StoredLogs } from "#hosts/ports/stored-logs.ts";
import type { DeliveredBatch } from "./wake-up-consumer.ts";

/**
 * Records wake-ups that repeatedly failed. Nothing is lost with them, since the sweeper finds the
 * upload in the database.
 */
export async function recordDeadLetters(
  batch: DeliveredBatch,
  database: Database,
  logs: StoredLogs,
): Promise<void> {
  const log = createLogger(systemClock, logs);
  for (const message of batch.messages)
    log.error("A wake-up was given up", {
      messageId: message.id,
      attempts: message.attempts,
      body: message.body,
    });
  await logs.flush(database);
  batch.ackAll();
}
