import * as z from "zod/mini";
import { eventTypeSchema } from "#contract/notification-events.ts";
import { auditEntryIf } from "#service/changes/audit-entry.ts";
import { TEST_PREFIX } from "#service/changes/notification-event.ts";
import { isPast } from "#service/db/due-time.ts";
import { sql } from "#service/db/sql.ts";
import { pauseMs } from "#service/notifications/delivery-store.ts";
import { WEBHOOK_RETRY_FOR_MS } from "#service/notifications/outbox.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import type { DeliveryOutcome } from "#service/ports/telemetry.ts";
import type { WebhookEvent } from "./webhook-message.ts";
import { webhookTarget, type WebhookAttempt, type WebhookTarget } from "./webhook-sender.ts";

/**
 * The states of a delivery of one event to one webhook.
 *
 * It starts as **pending**. Only a webhook's oldest pending delivery is sent, so that events arrive
 * in order. A sender claims the webhook by moving its `next_attempt_at` ahead by {@link CLAIM_MS}; if
 * the sender dies, it becomes due again, and at most that one event is sent twice, with the same id.
 * The delivery then becomes **delivered**; or **failed**, if an attempt fails after `retry_until`; or
 * stays pending, and the webhook waits for a growing pause. `retry_until` is three days after the
 * event, and {@link REFUSED_FOR_MS} after the first of several refusals in a row. A webhook that is switched off fails all
 * its pending deliveries. Redelivery makes a delivery pending again.
 */
const CLAIM_MS = 40_000;

/** Outlasts a faulty release of a receiver; a later event waits as long for one that is refused. */
const REFUSED_FOR_MS = 3_600_000;

export const WEBHOOK_TIMEOUT_MS = 15_000;

export type ClaimedWebhook = {
  readonly target: WebhookTarget;
  readonly event: WebhookEvent;
  readonly eventSeq: number;
  readonly failures: number;
  readonly retryUntilMs: number;
};

const claimedSchema = z.extend(webhookTarget, { failures: z.number() });

const eventSchema = z.object({
  seq: z.number(),
  type: eventTypeSchema,
  cause: z.nullable(z.string()),
  subject: z.nullable(z.string()),
  title: z.string(),
  body: z.string(),
  link: z.nullable(z.string()),
  createdAt: z.number(),
  retryUntilMs: z.number(),
});

export const HAS_PENDING_DELIVERIES = sql`
  SELECT 1 FROM webhook_deliveries INDEXED BY webhook_deliveries_pending WHERE status = 'pending'`;

/**
 * Claims the webhook that is due longest, with its oldest pending event; null when none is due.
 * `isProved` asks for those whose receiver took the last event; without it, for all others.
 */
export async function claimWebhook(
  database: Database,
  nowMs: number,
  isProved: boolean,
): Promise<ClaimedWebhook | null> {
  const { rows: claimed } = await database.run(sql`
    UPDATE webhooks SET next_attempt_at = ${nowMs + CLAIM_MS}
    WHERE id = (
      SELECT w.id FROM webhooks w
      WHERE w.enabled AND (w.failures = 0 AND w.last_delivered IS 1) = ${isProved ? 1 : 0}
        AND ${isPast(sql`w.next_attempt_at`, nowMs)} AND EXISTS (
        SELECT 1 FROM webhook_deliveries WHERE webhook_id = w.id AND status = 'pending')
      ORDER BY w.next_attempt_at, w.id LIMIT 1)
    RETURNING id, format, url, secret, previous_secret, previous_until, failures`);
  if (claimed[0] === undefined) return null;
  const { failures, ...target } = claimedSchema.parse(claimed[0]);
  const [found] = await database.all(sql`
    SELECT e.seq, e.type, e.cause, e.subject, e.title, e.body, e.link, e.created_at AS createdAt,
      d.retry_until AS retryUntilMs
    FROM webhook_deliveries d JOIN notification_events e ON e.seq = d.event_seq
    WHERE d.webhook_id = ${target.id} AND d.status = 'pending' ORDER BY d.event_seq LIMIT 1`);
  if (found === undefined) return null;
  const { seq, retryUntilMs, ...event } = eventSchema.parse(found);
  return {
    target,
    // The time distinguishes equal numbers of two databases.
    event: {
      ...event,
      id: `event-${seq}-${event.createdAt}`,
      isTest: event.subject?.startsWith(TEST_PREFIX) === true,
    },
    eventSeq: seq,
    failures,
    retryUntilMs,
  };
}

export function outcomeOf(
  claimed: ClaimedWebhook,
  attempt: WebhookAttempt,
  atMs: number,
): DeliveryOutcome {
  if (attempt.isDelivered) return "delivered";
  return attempt.isGone || atMs >= retryUntil(claimed, attempt, atMs) ? "failed" : "retried";
}

/** A failure that is no refusal ends the row of refusals. */
function retryUntil(
  { retryUntilMs, event }: ClaimedWebhook,
  { isRefused }: WebhookAttempt,
  atMs: number,
): number {
  return isRefused
    ? Math.min(retryUntilMs, atMs + REFUSED_FOR_MS)
    : Math.max(retryUntilMs, event.createdAt + WEBHOOK_RETRY_FOR_MS);
}

/**
 * The statements that record an attempt. The webhook is due again at once after a delivery, and
 * after an event that is refused for good, since the receiver works.
 */
export function recordAttempt(
  claimed: ClaimedWebhook,
  attempt: WebhookAttempt,
  atMs: number,
): Statement[] {
  const { target, eventSeq, failures } = claimed;
  const { id } = target;
  const { isDelivered, isRefused, result, isGone, retryAfterMs } = attempt;
  const outcome = outcomeOf(claimed, attempt, atMs);
  const status = outcome === "retried" ? "pending" : outcome;
  const isNextDue = isDelivered || (isRefused && outcome === "failed");
  const waitMs = Math.max(retryAfterMs ?? 0, pauseMs(failures + 1));
  return [
    sql`UPDATE webhook_deliveries
      SET status = ${status}, attempts = attempts + 1, result = ${result}, attempted_at = ${atMs},
        retry_until = ${retryUntil(claimed, attempt, atMs)}
      WHERE webhook_id = ${id} AND event_seq = ${eventSeq} AND status = 'pending'`,
    sql`UPDATE webhooks
      SET failures = ${isNextDue ? 0 : failures + 1},
        next_attempt_at = ${isNextDue ? atMs : atMs + waitMs},
        last_at = ${atMs}, last_delivered = ${isDelivered ? 1 : 0}, last_result = ${result}
      WHERE id = ${id}`,
    ...(isGone ? switchOff(id, result, atMs) : []),
  ];
}

function switchOff(id: string, reason: string, atMs: number): Statement[] {
  return [
    sql`UPDATE webhooks SET enabled = 0, off_reason = ${reason} WHERE id = ${id} AND enabled`,
    auditEntryIf(
      { atMs, actorId: null, action: "webhook.off", target: id, reason },
      sql`changes() > 0`,
    ),
    failPending(id),
  ];
}

/** Ends a pause, but not the claim of a sender at work. */
export function endPause(id: string, nowMs: number): Statement {
  return sql`
    UPDATE webhooks SET failures = 0, next_attempt_at = min(next_attempt_at, ${nowMs + CLAIM_MS})
    WHERE id = ${id}`;
}

/** For a webhook that is off. */
export function failPending(id: string): Statement {
  return sql`
    UPDATE webhook_deliveries
    SET status = 'failed', result = coalesce(result || ' ', '') || 'The webhook was switched off.'
    WHERE webhook_id = ${id} AND status = 'pending'`;
}
