import type { UserId } from "#contract/ids.ts";
import type { EventType } from "#contract/notification-events.ts";
import type { FailureClass } from "#contract/upload.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import type { EventLink } from "./event-link.ts";

/** Tells apart events of one type that are not announced together. */
export type EventCause = FailureClass | "sound_again";

export type NotificationEvent = {
  readonly type: EventType;
  readonly cause?: EventCause;
  /** The id of what it is about, e.g. an upload's. */
  readonly subject: string | null;
  readonly title: string;
  readonly body: string;
  /** The page that shows it; omitted for recipients who may not open it. */
  readonly link: EventLink | null;
};

/** Begins the subject of a test, which is an event of its type in which nothing happened. */
export const TEST_PREFIX = "test-";

/**
 * Adds an event to the outbox if `condition` holds. Add it to the batch of the change it reports. Whoever
 * caused it, `authorId`, is not notified of it.
 */
export function notificationEventIf(
  event: NotificationEvent,
  atMs: number,
  condition: Statement,
  authorId: UserId | null = null,
): Statement {
  return sql`
    INSERT INTO notification_events (type, cause, subject, title, body, link, created_at, author_id)
    SELECT ${event.type}, ${event.cause ?? null}, ${event.subject}, ${event.title}, ${event.body},
      ${event.link}, ${atMs}, ${authorId}
    WHERE ${condition}`;
}
