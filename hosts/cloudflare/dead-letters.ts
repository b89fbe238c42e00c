import { systemClock } from "#hosts/ports/clock.ts";
import type { Database } from "#service/ports/database.ts";
import type { WorkerLogSink } from "./log-sink.ts";
import type { DeliveredBatch } from "./wake-up-consumer.ts";

/**
 * Records wake-ups that repeatedly failed. Nothing is lost with them, since the sweeper finds the
 * upload in the database.
 */
export async function recordDeadLetters(
  batch: DeliveredBatch,
  database: Database,
  logs: WorkerLogSink,
): Promise<void> {
  for (const message of batch.messages)
    logs.write({
      level: "error",
      at: new Date(systemClock.now()),
      message: "A wake-up was given up",
      meta: { messageId: message.id, attempts: message.attempts, body: message.body },
    });
  await logs.flush(database);
  batch.ackAll();
}
