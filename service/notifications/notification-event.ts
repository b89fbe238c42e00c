import type { UserId } from "#contract/ids.ts";
import type { EventType } from "#contract/notification-events.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import type { EventLink } from "./event-link.ts";

export type NotificationEvent = {
  readonly type: EventType;
  /** What it is about, e.g. an upload's id. */
  readonly subject: string | null;
  readonly title: string;
  readonly body: string;
  /** Where the console shows it; left out for recipients who may not go there. */
  readonly link: EventLink | null;
};

/** Puts an event into the outbox; goes into the same batch as the change it tells of. */
export function notificationEvent(event: NotificationEvent, atMs: number): Statement {
  return sql`
    INSERT INTO notification_events (type, subject, title, body, link, created_at)
    VALUES (${event.type}, ${event.subject}, ${event.title}, ${event.body}, ${event.link}, ${atMs})`;
}

/** The same, only when the statement just before it in the batch changed something. */
export function notificationEventIfChanged(event: NotificationEvent, atMs: number): Statement {
  return sql`
    INSERT INTO notification_events (type, subject, title, body, link, created_at)
    SELECT ${event.type}, ${event.subject}, ${event.title}, ${event.body}, ${event.link}, ${atMs}
    WHERE changes() > 0`;
}

/** The same, only when `condition` holds. */
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

/**
 * Names who did what the event of the statement just before it tells of: everyone else is told.
 * Does nothing when that statement has put no event into the outbox.
 */
export function eventAuthorIfChanged(userId: UserId): Statement {
  return sql`
    INSERT INTO notification_authors (event_seq, user_id)
    SELECT last_insert_rowid(), ${userId} WHERE changes() > 0`;
}
