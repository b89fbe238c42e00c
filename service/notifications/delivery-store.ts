import * as z from "zod/mini";
import { userIdSchema, type UserId } from "#contract/ids.ts";
import { eventTypeSchema } from "#contract/notification-events.ts";
import { permissionSchema } from "#contract/permissions.ts";
import { flagColumn } from "#service/db/columns.ts";
import { jsonText } from "#service/db/json-text.ts";
import { isPast } from "#service/db/due-time.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { SEND_TIMEOUT_MS, type OutsideChannel } from "./channel.ts";
import { linkFor } from "#service/changes/event-link.ts";
import { groupText } from "./event-group.ts";

/**
 * The states of a delivery over an external channel.
 *
 * It starts as **pending** and due immediately. A sender claims it by moving `next_attempt_at`
 * ahead by {@link CLAIM_MS}, so that no other sends it; if the sender dies, it becomes due again,
 * and at most that one message is sent twice. It then becomes **delivered**; or **failed**, if the
 * provider refused it or {@link MAX_ATTEMPTS} attempts failed; or pending again, due after a
 * growing pause.
 */
const CLAIM_MS = SEND_TIMEOUT_MS + 22_000;

/**
 * With the pauses of {@link pauseMs}, a channel may be down for six hours before messages are lost.
 */
export const MAX_ATTEMPTS = 20;

const FIRST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 30 * 60_000;

/** Backoff after the given number of attempts: doubling, at most half an hour. */
export function pauseMs(attempts: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, attempts - 1));
}

/** From this number of pending messages to one person, they are sent as one. */
const BUNDLED_FROM = 5;
const MAX_BUNDLED = 50;

/** One message to one person: one delivery, or a bundle of them. */
export type ClaimedDeliveries = {
  readonly userId: UserId;
  /** False when the person has lost their rights since the event. */
  readonly isAdmin: boolean;
  /** Oldest first, at least one. */
  readonly entries: readonly ClaimedEntry[];
};

export type ClaimedEntry = {
  readonly seq: number;
  readonly createdAt: number;
  /** Attempts so far, including this one. */
  readonly attempts: number;
  readonly title: string;
  readonly body: string;
  /** Null also when the person may not open it. */
  readonly link: string | null;
};

const dueSchema = z.object({ user_id: userIdSchema, count: z.number() });

const claimedSchema = z.object({
  seq: z.number(),
  events: z.number(),
  type: eventTypeSchema,
  cause: z.nullable(z.string()),
  attempts: z.number(),
  createdAt: z.number(),
  isBanned: flagColumn,
  permissions: jsonText(z.array(permissionSchema)),
  title: z.string(),
  body: z.string(),
  link: z.nullable(z.string()),
});

/** Claims the deliveries that are due longest; null when none are due or the channel is paused. */
export async function claimDeliveries(
  database: Database,
  channel: OutsideChannel,
  nowMs: number,
): Promise<ClaimedDeliveries | null> {
  const isDue = sql`channel = ${channel} AND status = 'pending'
    AND ${isPast(sql`next_attempt_at`, nowMs)}`;
  const [dueRow] = await database.all(sql`
    SELECT user_id, count(*) AS count FROM notification_deliveries
    WHERE ${isDue} AND NOT EXISTS (SELECT 1 FROM notification_channels c
      WHERE c.channel = ${channel} AND NOT ${isPast(sql`c.held_until`, nowMs)})
    GROUP BY user_id ORDER BY min(next_attempt_at) LIMIT 1`);
  if (dueRow === undefined) return null;
  const due = dueSchema.parse(dueRow);
  // A concurrent claim may leave fewer rows or none, because the condition is checked for each row.
  const { rows: claimed } = await database.run(sql`
    UPDATE notification_deliveries
    SET attempts = attempts + 1, next_attempt_at = ${nowMs + CLAIM_MS}
    WHERE seq IN (
      SELECT seq FROM notification_deliveries WHERE ${isDue} AND user_id = ${due.user_id}
      ORDER BY next_attempt_at, seq LIMIT ${due.count < BUNDLED_FROM ? 1 : MAX_BUNDLED})
    RETURNING seq`);
  const rows = await database.all(sql`
    SELECT d.seq, d.events, e.type, e.cause, d.attempts, d.created_at AS createdAt, u.permissions,
      u.banned_at IS NOT NULL AS isBanned, e.title, e.body, e.link
    FROM notification_deliveries d
    JOIN notification_events e ON e.seq = d.event_seq
    JOIN users u ON u.id = d.user_id
    WHERE d.seq IN ${seqList(claimed.map((row) => claimedSeqSchema.parse(row).seq))}
    ORDER BY d.seq`);
  const [first, ...others] = rows.map((row) => claimedSchema.parse(row));
  if (first === undefined) return null;
  return {
    userId: due.user_id,
    isAdmin: first.permissions.length > 0 && !first.isBanned,
    entries: [first, ...others].map((entry) => {
      const text = groupText(entry.type, entry.cause, entry.events, entry);
      return { ...entry, ...text, link: linkFor(text.link, first.permissions) };
    }),
  };
}

const claimedSeqSchema = z.object({ seq: z.number() });

/** Binds any number of row numbers as one value. */
function seqList(seqs: readonly number[]): Statement {
  return sql`(SELECT value FROM json_each(${JSON.stringify(seqs)}))`;
}

export function markDelivered(seqs: readonly number[], atMs: number): Statement {
  return sql`
    UPDATE notification_deliveries
    SET status = 'delivered', delivered_at = ${atMs}, next_attempt_at = NULL, error = NULL
    WHERE seq IN ${seqList(seqs)} AND status = 'pending'`;
}

export function markFailed(seqs: readonly number[], error: string): Statement {
  return sql`
    UPDATE notification_deliveries
    SET status = 'failed', next_attempt_at = NULL, error = ${error}
    WHERE seq IN ${seqList(seqs)} AND status = 'pending'`;
}

export function markForRetry(
  seqs: readonly number[],
  error: string,
  nextAttemptAt: number,
): Statement {
  return sql`
    UPDATE notification_deliveries SET next_attempt_at = ${nextAttemptAt}, error = ${error}
    WHERE seq IN ${seqList(seqs)} AND status = 'pending'`;
}

/** Pauses the channel until `untilMs`, as its provider asked. */
export function holdChannel(channel: OutsideChannel, untilMs: number): Statement {
  return sql`
    UPDATE notification_channels SET held_until = max(held_until, ${untilMs})
    WHERE channel = ${channel}`;
}

/** When the channel's pause ends; a time in the past if it is not paused. */
export async function readHeldUntil(database: Database, channel: OutsideChannel): Promise<number> {
  const [row] = await database.all(
    sql`SELECT held_until FROM notification_channels WHERE channel = ${channel}`,
  );
  return z.object({ held_until: z.number() }).parse(row).held_until;
}
