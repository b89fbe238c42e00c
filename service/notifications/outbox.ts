import * as z from "zod/mini";
import { eventTypeSchema } from "#contract/notification-events.ts";
import { type Channel } from "#contract/notifications.ts";
import { userIdSchema, type UserId } from "#contract/ids.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import type { Platform } from "#service/platform.ts";
import { publishInbox } from "./browser-inbox.ts";
import type { ChannelSender } from "./channel.ts";
import { mayReceive } from "./event-types.ts";
import { readRecipients, type Recipient } from "./preference-store.ts";

/** Events per batch; the loop repeats until none are left. */
const EVENTS_PER_ROUND = 50;

const outboxRowSchema = z.object({
  seq: z.number(),
  type: eventTypeSchema,
  author_id: z.nullable(userIdSchema),
});
type OutboxEvent = z.infer<typeof outboxRowSchema>;

type Target = { readonly userId: UserId; readonly channel: Channel };

/**
 * Turns each pending event into one delivery per administrator and chosen channel. The deliveries
 * and the event's mark are one batch, and a delivery is unique, so a crash or a second dispatcher
 * neither loses nor duplicates any.
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
        insertDeliveries(event.seq, targets, nowMs),
        markDispatched(event.seq, nowMs),
      );
      for (const target of targets) if (target.channel === "browser") notified.add(target.userId);
    }
    await database.batch(statements);
    for (const userId of notified) await publishInbox(platform, userId);
  }
}

async function readWaiting(database: Database): Promise<OutboxEvent[]> {
  const rows = await database.all(sql`
    SELECT e.seq, e.type, a.user_id AS author_id
    FROM notification_events e LEFT JOIN notification_authors a ON a.event_seq = e.seq
    WHERE e.dispatched_at IS NULL ORDER BY e.seq LIMIT ${EVENTS_PER_ROUND}`);
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

/** A browser notification is delivered at once; the others wait for their sender. */
function insertDeliveries(eventSeq: number, targets: readonly Target[], atMs: number): Statement {
  return sql`
    INSERT OR IGNORE INTO notification_deliveries
      (event_seq, user_id, channel, status, next_attempt_at, created_at, delivered_at)
    SELECT ${eventSeq}, value ->> 'userId', value ->> 'channel',
      iif(value ->> 'channel' = 'browser', 'delivered', 'pending'),
      iif(value ->> 'channel' = 'browser', NULL, ${atMs}),
      ${atMs},
      iif(value ->> 'channel' = 'browser', ${atMs}, NULL)
    FROM json_each(${JSON.stringify(targets)})`;
}

function markDispatched(eventSeq: number, atMs: number): Statement {
  return sql`UPDATE notification_events SET dispatched_at = ${atMs} WHERE seq = ${eventSeq}`;
}
