import { systemClock } from "#hosts/node/clock.ts";
import type { Bindings } from "./bindings.ts";
import { openD1Database } from "./d1-database.ts";
import { createWorkerLogSink } from "./log-sink.ts";

/**
 * Wake-ups that no consumer could work on. Nothing is lost with them, since the sweeper finds the
 * upload in the database; that it came to this is put on record.
 */
export async function recordDeadLetters(batch: MessageBatch, bindings: Bindings): Promise<void> {
  const logs = createWorkerLogSink(console);
  for (const message of batch.messages)
    logs.write({
      level: "error",
      at: new Date(systemClock.now()),
      message: "A wake-up was given up",
      meta: { messageId: message.id, attempts: message.attempts, body: message.body },
    });
  await logs.flush(openD1Database(bindings.DB));
  batch.ackAll();
}
