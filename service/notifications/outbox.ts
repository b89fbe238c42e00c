import * as z from "zod/mini";
import { eventTypeSchema } from "#contract/notification-events.ts";
import { type Channel } from "#contract/notifications.ts";
import { userIdSchema, type UserId } from "#contract/ids.ts";
import { sql } from "#service/db/sql.ts";
import { JOB_KINDS } from "#service/jobs/job-kinds.ts";
import { wakeEach } from "#service/jobs/jobs.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import type { Platform } from "#service/platform.ts";
import { publishInbox } from "./browser-inbox.ts";
import type { ChannelSender } from "./channel.ts";
import { mayReceive } from "./event-types.ts";
import { isGrouped } from "./event-group.ts";
import { readRecipients, type Recipient } from "./preference-store.ts";

/** Events per batch; the loop repeats until none are left. */
const EVENTS_PER_ROUND = 50;

/** Limits messages when one cause fails many uploads; delays no first event, and no other by more. */
const WINDOW_MS = 10 * 60_000;

const outboxRowSchema = z.object({
  seq: z.number(),
  type: eventTypeSchema,
  cause: z.nullable(z.string()),
  author_id: z.nullable(userIdSchema),
});
type OutboxEvent = z.infer<typeof outboxRowSchema>;

type Target = { readonly userId: UserId; readonly channel: Channel };

/**
 * Turns each pending event into one delivery per administrator and chosen channel. The first event
 * of a type and cause opens a window of {@link WINDOW_MS}: it is due at once, and later ones join a
 * delivery that has not been sent, which is due when the window ends. In the browser they join the
 * first one, which becomes unread again.
 *
 * Each webhook that chose the type gets a delivery of its own; windows are for people.
 *
 * The deliveries and the event's mark are one batch, which does nothing to an event that is marked,
 * so a crash or a second dispatcher neither loses nor duplicates any.
 */
export async function fanOutEvents(
  platform: Pick<Platform, "database" | "hub" | "clock">,
  senders: readonly ChannelSender[],
): Promise<void> {
  const { database } = platform;
  for (;;) {
    const events = await readWaiting(database);
    if (events.length === 0) return;
    const recipients = await readRecipients(database);
    const nowMs = platform.clock.now();
    const notified = new Set<UserId>();
    const statements: Statement[] = [];
    for (const event of events) {
      const targets = targetsOf(event, recipients, senders);
      statements.push(
        ...(isGrouped(event.type) ? [joinDeliveries(event, targets, nowMs)] : []),
        insertDeliveries(event, targets, nowMs),
        insertWebhookDeliveries(event, nowMs),
        markDispatched(event.seq, nowMs),
      );
      for (const target of targets) if (target.channel === "browser") notified.add(target.userId);
    }
    await database.batch([...statements, ...wakeSenders(events)]);
    for (const userId of notified) await publishInbox(platform, userId);
  }
}

/** The cause of a test's event, which is sent before those that wait. */
export const TEST_CAUSE = "test";

/** The others are dispatched in their order, so that none waits before the last dispatched one. */
export const WAITING_EVENTS = sql`notification_events WHERE dispatched_at IS NULL
  AND seq > coalesce((SELECT seq FROM notification_events
    WHERE dispatched_at IS NOT NULL AND cause IS NOT ${TEST_CAUSE} ORDER BY seq DESC LIMIT 1), 0)`;

async function readWaiting(database: Database): Promise<OutboxEvent[]> {
  const rows = await database.all(sql`
    SELECT seq, type, cause, author_id FROM ${WAITING_EVENTS} ORDER BY seq LIMIT ${EVENTS_PER_ROUND}`);
  return rows.map((row) => outboxRowSchema.parse(row));
}

function targetsOf(
  event: OutboxEvent,
  recipients: readonly Recipient[],
  senders: readonly ChannelSender[],
): Target[] {
  return recipients
    .filter(
      ({ userId, permissions }) =>
        userId !== event.author_id && mayReceive(event.type, permissions),
    )
    .flatMap(({ userId, preferences }) =>
      (preferences.enabledEvents[event.type] ?? [])
        .filter((channel) => isAvailable(channel, senders))
        .map((channel) => ({ userId, channel })),
    );
}

export function isAvailable(channel: Channel, senders: readonly ChannelSender[]): boolean {
  return (
    channel === "browser" ||
    senders.some((sender) => sender.channel === channel && sender.unavailableReason === null)
  );
}

/** An event joins one of so many newest deliveries of a person, however many there are. */
const JOINABLE = 100;

/** Deliveries of an open window of the event's type and cause, to the target `t`. */
function windowOf({ type, cause }: OutboxEvent, nowMs: number): Statement {
  return sql`notification_deliveries d JOIN notification_events e ON e.seq = d.event_seq
    WHERE d.seq IN (SELECT seq FROM notification_deliveries
        WHERE receiver = t.value ->> 'userId' ORDER BY seq DESC LIMIT ${JOINABLE})
      AND d.channel = t.value ->> 'channel'
      AND d.window_ends_at > ${nowMs} AND d.window_ends_at <= ${nowMs + WINDOW_MS}
      AND e.type = ${type} AND e.cause IS ${cause}`;
}

/** A message whose sending has begun keeps its text. */
const CAN_BE_JOINED = sql`(d.channel = 'browser' OR (d.status = 'pending' AND d.attempts = 0))`;

function isWaiting({ seq }: OutboxEvent): Statement {
  return sql`EXISTS (SELECT 1 FROM notification_events
    WHERE seq = ${seq} AND dispatched_at IS NULL)`;
}

function joinDeliveries(event: OutboxEvent, targets: readonly Target[], nowMs: number): Statement {
  return sql`
    UPDATE notification_deliveries SET events = events + 1, read_at = NULL
    WHERE ${isWaiting(event)} AND seq IN (
      SELECT (SELECT max(d.seq) FROM ${windowOf(event, nowMs)} AND ${CAN_BE_JOINED})
      FROM json_each(${JSON.stringify(targets)}) t)`;
}

/** A browser notification is delivered at once; the others wait for their sender. */
function insertDeliveries(
  event: OutboxEvent,
  targets: readonly Target[],
  nowMs: number,
): Statement {
  const window = windowOf(event, nowMs);
  const [endsAt, isJoined] = isGrouped(event.type)
    ? [
        sql`(SELECT max(d.window_ends_at) FROM ${window})`,
        sql`EXISTS (SELECT 1 FROM ${window} AND ${CAN_BE_JOINED})`,
      ]
    : [sql`NULL`, sql`FALSE`];
  return sql`
    INSERT OR IGNORE INTO notification_deliveries
      (event_seq, receiver, channel, status, due_at, created_at, attempted_at,
        window_ends_at)
    SELECT ${event.seq}, t.value ->> 'userId', t.value ->> 'channel',
      iif(t.value ->> 'channel' = 'browser', 'delivered', 'pending'),
      iif(t.value ->> 'channel' = 'browser', NULL, coalesce(${endsAt}, ${nowMs})),
      ${nowMs},
      iif(t.value ->> 'channel' = 'browser', ${nowMs}, NULL),
      ${isGrouped(event.type) ? sql`coalesce(${endsAt}, ${nowMs + WINDOW_MS})` : sql`NULL`}
    FROM json_each(${JSON.stringify(targets)}) t
    WHERE ${isWaiting(event)} AND NOT ${isJoined}`;
}

/** Due at 0, so that the oldest comes first whatever the clock said. */
function insertWebhookDeliveries(event: OutboxEvent, nowMs: number): Statement {
  return sql`
    INSERT OR IGNORE INTO notification_deliveries
      (event_seq, receiver, channel, status, due_at, retry_until, created_at)
    SELECT ${event.seq}, id, 'webhook', 'pending', 0, ${nowMs + JOB_KINDS.webhook.patienceMs}, ${nowMs}
    FROM webhooks
    WHERE enabled AND EXISTS (SELECT 1 FROM json_each(events) WHERE value = ${event.type})
      AND ${isWaiting(event)}`;
}

/** One job for each person and channel, or webhook, that one of these events is for. */
function wakeSenders(events: readonly OutboxEvent[]): readonly Statement[] {
  const isOfThese = sql`event_seq IN (
    SELECT value FROM json_each(${JSON.stringify(events.map(({ seq }) => seq))}))
    AND status = 'pending'`;
  return (["telegram", "email", "webhook"] as const).map((channel) =>
    wakeEach(
      channel,
      sql`SELECT receiver AS key, min(due_at) AS due_at FROM notification_deliveries
        WHERE ${isOfThese} AND channel = ${channel} GROUP BY receiver`,
    ),
  );
}

function markDispatched(eventSeq: number, atMs: number): Statement {
  return sql`UPDATE notification_events SET dispatched_at = ${atMs} WHERE seq = ${eventSeq}`;
}
