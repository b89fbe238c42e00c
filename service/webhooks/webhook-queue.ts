import * as z from "zod/mini";
import { eventTypeSchema } from "#contract/notification-events.ts";
import { auditEntryIf } from "#service/changes/audit-entry.ts";
import { TEST_PREFIX } from "#service/changes/notification-event.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import { JOB_KINDS } from "#service/jobs/job-kinds.ts";
import type { JobHandler } from "#service/jobs/job-runner.ts";
import { advanced, again, keep, later } from "#service/jobs/jobs.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import type { DeliveryOutcome } from "#service/ports/telemetry.ts";
import type { WebhookEvent } from "./webhook-message.ts";
import {
  webhookTarget,
  type WebhookAttempt,
  type WebhookSender,
  type WebhookTarget,
} from "./webhook-sender.ts";

/**
 * The states of a delivery of one event to one webhook.
 *
 * It starts as **pending**. The webhook's job, under its id, sends the oldest pending one, so that
 * events arrive in order; if the process dies meanwhile, at most that one event is sent twice, with
 * the same id. The delivery then becomes **delivered**; or **failed**, if an attempt fails after
 * `retry_until`; or stays pending, and the job waits for a growing pause. `retry_until` is three days
 * after the event, and {@link REFUSED_FOR_MS} after the first of several refusals in a row. A webhook
 * that is switched off fails all its pending deliveries.
 */

/** Outlasts a faulty release of a receiver; a later event waits as long for one that is refused. */
const REFUSED_FOR_MS = 3_600_000;

const WEBHOOK_TIMEOUT_MS = 15_000;

/** Condition on jobs `j`: the last attempt of the webhook succeeded. */
const works = (j: Statement) => sql`(${j}.error IS NULL
  AND EXISTS (SELECT 1 FROM webhooks WHERE id = ${j}.key AND last_delivered = 1))`;

/** Those that fail or were never delivered to share one place, so that silent receivers delay no other. */
const HAS_PLACE = sql`(jobs.lease_until IS NOT NULL OR ${works(sql`jobs`)}
  OR jobs.key = (SELECT o.key FROM jobs o WHERE o.kind = 'webhook' AND NOT ${works(sql`o`)}
    ORDER BY o.lease_until IS NULL, o.due_at, o.key LIMIT 1))`;

export type DueEvent = {
  readonly target: WebhookTarget;
  readonly event: WebhookEvent;
  readonly eventSeq: number;
  readonly retryUntilMs: number;
};

export function webhookJob(
  { platform, log }: Pick<ServiceContext, "platform" | "log">,
  sender: WebhookSender,
): JobHandler {
  const { database, clock } = platform;
  return {
    mayRun: HAS_PLACE,
    async run(job, signal) {
      let current = job;
      while (!signal.aborted) {
        const due = await readDueEvent(database, job.key);
        if (due === null) break;
        const attempt = await sender.send(due.target, due.event, WEBHOOK_TIMEOUT_MS);
        const nowMs = clock.now();
        const outcome = outcomeOf(due, attempt, nowMs);
        platform.telemetry?.deliveryEnded("webhook", outcome);
        if (!attempt.isDelivered)
          log.warn("A webhook was not delivered", {
            webhook: due.target.id,
            event: due.event.id,
            reason: attempt.result,
          });
        const record = recordAttempt(due, attempt, outcome, nowMs);
        const { isDelivered, isRefused, isGone, result, retryAfterMs } = attempt;
        // After an event that is refused for good, the receiver works.
        if (isDelivered || isGone || (isRefused && outcome === "failed")) {
          await keep(platform, job, [...record, advanced(job)]);
          current = { ...job, attempts: 1 };
          continue;
        }
        await again(platform, current, { message: result, retryAfterMs }, record);
        return;
      }
      const waiting = sql`(SELECT ${clock.now()} FROM ${pendingOf(job.key)} LIMIT 1)`;
      await later(platform, job, waiting);
    },
  };
}

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

export function pendingOf(id: string | Statement): Statement {
  return sql`notification_deliveries
    WHERE receiver = ${id} AND channel = 'webhook' AND status = 'pending'`;
}

/** The oldest pending event of a webhook that is on. */
export async function readDueEvent(database: Database, id: string): Promise<DueEvent | null> {
  const [found] = await database.all(sql`
    SELECT w.id, w.format, w.url, w.secret,
      e.seq, e.type, e.cause, e.subject, e.title, e.body, e.link, e.created_at AS createdAt,
      d.retry_until AS retryUntilMs
    FROM (SELECT * FROM ${pendingOf(id)} ORDER BY due_at, seq LIMIT 1) d
    JOIN webhooks w ON w.id = d.receiver AND w.enabled
    JOIN notification_events e ON e.seq = d.event_seq`);
  if (found === undefined) return null;
  const { seq, retryUntilMs, ...event } = eventSchema.parse(found);
  return {
    target: webhookTarget.parse(found),
    // The time distinguishes equal numbers of two databases.
    event: {
      ...event,
      id: `event-${seq}-${event.createdAt}`,
      isTest: event.subject?.startsWith(TEST_PREFIX) === true,
    },
    eventSeq: seq,
    retryUntilMs,
  };
}

function outcomeOf(due: DueEvent, attempt: WebhookAttempt, atMs: number): DeliveryOutcome {
  if (attempt.isDelivered) return "delivered";
  return attempt.isGone || atMs >= retryUntil(due, attempt, atMs) ? "failed" : "retried";
}

/** A failure that is no refusal ends the row of refusals. */
function retryUntil(
  { retryUntilMs, event }: DueEvent,
  { isRefused }: WebhookAttempt,
  atMs: number,
): number {
  return isRefused
    ? Math.min(retryUntilMs, atMs + REFUSED_FOR_MS)
    : Math.max(retryUntilMs, event.createdAt + JOB_KINDS.webhook.patienceMs);
}

function recordAttempt(
  due: DueEvent,
  attempt: WebhookAttempt,
  outcome: DeliveryOutcome,
  atMs: number,
): Statement[] {
  const { target, eventSeq } = due;
  const { id } = target;
  const { isDelivered, result, isGone } = attempt;
  const status = outcome === "retried" ? "pending" : outcome;
  return [
    sql`UPDATE notification_deliveries
      SET status = ${status}, attempts = attempts + 1, result = ${result}, attempted_at = ${atMs},
        retry_until = ${retryUntil(due, attempt, atMs)}
      WHERE event_seq = ${eventSeq} AND receiver = ${id} AND status = 'pending'`,
    sql`UPDATE webhooks
      SET last_at = ${atMs}, last_delivered = ${isDelivered ? 1 : 0}, last_result = ${result}
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

/** For a webhook that is off. */
export function failPending(id: string): Statement {
  return sql`
    UPDATE notification_deliveries
    SET status = 'failed', result = coalesce(result || ' ', '') || 'The webhook was switched off.'
    WHERE receiver = ${id} AND channel = 'webhook' AND status = 'pending'`;
}
