import * as z from "zod/mini";
import type { ServiceContext } from "#service/context.ts";
import { LOOK_EVERY_MS, type PendingWork } from "#service/db/pending-work.ts";
import { sql } from "#service/db/sql.ts";
import type { SecretCipher } from "#service/secrets/secret-cipher.ts";
import {
  claimWebhook,
  HAS_PENDING_DELIVERIES,
  outcomeOf,
  recordAttempt,
  WEBHOOK_TIMEOUT_MS,
} from "./webhook-queue.ts";
import type { WebhookSender } from "./webhook-sender.ts";

/**
 * Webhooks that are served at a time, and whether the receiver took the last event: the others
 * share one lane, since each may hold it up until the timeout.
 */
const LANES = [false, true, true, true];

/** A backlog waits for the next round after this time, so that a stop does not wait for all of it. */
const ROUND_MS = 5_000;

const RENEW_EVERY_MS = 3_600_000;

/** Each lane is a task of its own, so that a dead receiver delays no other. */
export function scheduleWebhooks(
  context: ServiceContext,
  pending: PendingWork,
  sender: WebhookSender,
  cipher: SecretCipher,
): void {
  const { scheduler } = context.platform;
  for (const [lane, isProved] of LANES.entries())
    scheduler.every(
      LOOK_EVERY_MS,
      `webhooks ${lane + 1}`,
      pending.when(HAS_PENDING_DELIVERIES, () => deliverWebhooks(context, sender, isProved)),
    );
  if (context.settings.SECRET_KEY_PREVIOUS !== undefined)
    scheduler.every(RENEW_EVERY_MS, "webhook secrets", () => renewSecrets(context, cipher));
}

/** Sends what is due, one event at a time. Several may run at once, also in other processes. */
export async function deliverWebhooks(
  { platform, log }: Pick<ServiceContext, "platform" | "log">,
  sender: WebhookSender,
  isProved: boolean,
): Promise<void> {
  const { database, clock } = platform;
  const startedMs = clock.monotonic();
  do {
    const claimed = await claimWebhook(database, clock.now(), isProved);
    if (claimed === null) return;
    const attempt = await sender.send(claimed.target, claimed.event, WEBHOOK_TIMEOUT_MS);
    if (!attempt.isDelivered)
      log.warn("A webhook was not delivered", {
        webhook: claimed.target.id,
        event: claimed.event.id,
        reason: attempt.result,
      });
    const nowMs = clock.now();
    platform.telemetry?.deliveryEnded("webhook", outcomeOf(claimed, attempt, nowMs));
    await database.batch(recordAttempt(claimed, attempt, nowMs));
  } while (clock.monotonic() - startedMs < ROUND_MS);
}

/** Encrypts with the new SECRET_KEY what was encrypted with the previous one. */
export async function renewSecrets(
  { platform: { database } }: Pick<ServiceContext, "platform">,
  cipher: SecretCipher,
): Promise<void> {
  for (const column of ["url", "secret", "previous_secret"]) {
    const name = { sql: column, values: [] };
    const rows = await database.all(
      sql`SELECT id, ${name} AS text FROM webhooks WHERE ${name} IS NOT NULL`,
    );
    for (const row of rows) {
      const { id, text } = z.object({ id: z.string(), text: z.string() }).parse(row);
      const opened = await cipher.decrypt(text, id);
      if (opened === null || opened.isCurrent) continue;
      const renewed = await cipher.encrypt(opened.text, id);
      await database.run(
        sql`UPDATE webhooks SET ${name} = ${renewed} WHERE id = ${id} AND ${name} = ${text}`,
      );
    }
  }
}
