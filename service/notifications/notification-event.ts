import type { UserId } from "#contract/ids.ts";
import type { EventType } from "#contract/notification-events.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import type { EventLink } from "./event-link.ts";

export type NotificationEvent = {
  readonly type: EventType;
  /** The id of what it is about, e.g. an upload's. */
  readonly subject: string | null;
  readonly title: string;
  readonly body: string;
  /** The page that shows it; omitted for recipients who may not open it. */
  readonly link: EventLink | null;
};

/**
 * Adds an event to the outbox if `condition` holds; belongs into the batch of the change it reports.
 */
export function notificationEventWhen(
  event: NotificationEvent,
  atMs: number,
  condition: Statement,
): Statement {
  return sql`
    INSERT INTO notification_events (type, subject, title, body, link, created_at)
    SELECT ${event.type}, ${event.subject}, ${event.title}, ${event.body}, ${event.link}, ${atMs}
    WHERE ${condition}`;
}

/** The same, only if the previous statement in the batch changed something. */
export function notificationEventIfChanged(event: NotificationEvent, atMs: number): Statement {
  return notificationEventWhen(event, atMs, sql`changes() > 0`);
}

/**
 * Records who caused the event of the previous statement, so that this user is not notified. Does
 * nothing if that statement added no event.
 */
export function eventAuthorIfChanged(userId: UserId): Statement {
  return sql`
    INSERT INTO notification_authors (event_seq, user_id)
    SELECT last_insert_rowid(), ${userId} WHERE changes() > 0`;
}
