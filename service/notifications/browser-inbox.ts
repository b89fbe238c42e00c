import * as z from "zod/mini";
import {
  browserNotificationSchema,
  type BrowserNotification,
  type browserNotifications,
} from "#contract/browser-notifications.ts";
import type { DataOf } from "#contract/call.ts";
import type { NotificationId, UserId } from "#contract/ids.ts";
import type { Permission } from "#contract/permissions.ts";
import { flagColumn, instantColumn } from "#service/db/columns.ts";
import { sql } from "#service/db/sql.ts";
import type { Principal } from "#service/http/route.ts";
import { publishUnread } from "./unread-events.ts";
import type { Database, Row, Statement } from "#service/ports/database.ts";
import type { Platform } from "#service/platform.ts";
import { readHealth } from "#service/health/health-store.ts";
import { verdictOf } from "#service/health/health-verdict.ts";
import { linkFor } from "#service/changes/event-link.ts";
import { groupText } from "./event-group.ts";
import { EVENT_TYPE_INFO } from "./event-types.ts";

/** The bell shows this many; older ones stay in the delivery log. */
const SHOWN = 50;

const inboxRow = z.extend(z.omit(browserNotificationSchema, { severity: true }), {
  events: z.number(),
  cause: z.nullable(z.string()),
  createdAt: instantColumn,
  read: flagColumn,
});

/** The newest notifications of one person's bell, and what every screen shows of the system. */
export async function readInbox(
  { database, runtime, clock }: Platform,
  { userId, permissions }: Pick<Principal, "userId" | "permissions">,
): Promise<DataOf<typeof browserNotifications>> {
  const [rows, unread, health] = await Promise.all([
    database.all(sql`
      SELECT CAST(d.seq AS TEXT) AS id, d.events, e.type, e.cause, e.title, e.body, e.link,
        d.created_at AS createdAt, d.read_at IS NOT NULL AS read
      FROM notification_deliveries d JOIN notification_events e ON e.seq = d.event_seq
      WHERE d.receiver = ${userId} AND d.channel = 'browser'
      ORDER BY d.seq DESC LIMIT ${SHOWN}`),
    countUnread(database, userId),
    readHealth(database, runtime.startedAt, clock.now()),
  ]);
  return {
    notifications: rows.map((row) => readNotification(row, permissions)),
    unread,
    twitchFault: health.twitch.status === "unhealthy" ? (health.twitch.detail ?? "") : null,
    systemStatus: verdictOf(health).status,
  };
}

/** Ignores ids that are unknown, another user's or already read. */
export function markRead(userId: UserId, ids: readonly NotificationId[], atMs: number): Statement {
  const seqs = ids.filter((id) => /^[1-9]\d{0,14}$/.test(id)).map(Number);
  return sql`
    UPDATE notification_deliveries SET read_at = ${atMs}
    WHERE seq IN (SELECT value FROM json_each(${JSON.stringify(seqs)}))
      AND receiver = ${userId} AND channel = 'browser' AND read_at IS NULL`;
}

/** Sends a user's open streams the number of unread notifications. */
export async function publishInbox(
  platform: Pick<Platform, "database" | "hub">,
  userId: UserId,
): Promise<void> {
  await publishUnread(platform, { userId, unread: await countUnread(platform.database, userId) });
}

async function countUnread(database: Database, userId: UserId): Promise<number> {
  const [row] = await database.all(unreadOf(userId));
  return z.object({ count: z.number() }).parse(row).count;
}

function unreadOf(userId: UserId): Statement {
  return sql`
    SELECT count(*) AS count FROM notification_deliveries
    WHERE receiver = ${userId} AND channel = 'browser' AND read_at IS NULL`;
}

function readNotification(row: Row, permissions: readonly Permission[]): BrowserNotification {
  const { events, cause, ...entry } = inboxRow.parse(row);
  const text = groupText(entry.type, cause, events, entry);
  return {
    ...entry,
    ...text,
    severity: EVENT_TYPE_INFO[entry.type].severity,
    link: linkFor(text.link, permissions),
  };
}
