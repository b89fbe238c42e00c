import type { UserId } from "#contract/ids.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { auditEntryIf, type AuditInput } from "./audit-entry.ts";
import { notificationEventIf, type NotificationEvent } from "./notification-event.ts";

/** What is written with a change. */
export type ChangeRecord = {
  readonly audit?: Omit<AuditInput, "atMs">;
  readonly event?: NotificationEvent | null;
  /** The user who caused the event; this user is not notified of it. */
  readonly authorId?: UserId;
};

/**
 * The statements for a change, its audit entry and its notification event. Each
 * of them takes effect only if the one before it changed a row, so they have to stay together. When
 * two identical actions race, only the one that takes effect is recorded. The first result of the
 * batch is that of `change`.
 */
export function recordedChange(
  change: Statement,
  atMs: number,
  { audit, event = null, authorId }: ChangeRecord,
): readonly [Statement, ...Statement[]] {
  return [
    change,
    ...(audit === undefined ? [] : [auditEntryIf({ ...audit, atMs }, HAS_CHANGED)]),
    ...(event === null ? [] : [notificationEventIf(event, atMs, HAS_CHANGED, authorId)]),
  ];
}

/**
 * SQLite's count for the previous statement. It is wrong after a statement that changed no row if the
 * one before that wrote to a full-text table, as an audit entry does: SQLite may write that table out,
 * and count it, as this statement begins. A batch must not come to that.
 */
const HAS_CHANGED = sql`changes() > 0`;
