import * as z from "zod/mini";
import { userIdSchema, type UserId } from "#contract/ids.ts";
import { deliverySchema, eventTypeSchema, type Delivery } from "#contract/notifications.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Row, Statement } from "#service/platform.ts";
import { SEND_TIMEOUT_MS, type OutsideChannel } from "./channel.ts";
import { EVENT_TYPE_INFO } from "./event-types.ts";

/**
 * The life of a delivery over an outside channel.
 *
 * It is born **pending** and due at once. Whoever takes it moves `next_attempt_at` ahead by
 * {@link CLAIM_MS}, so that nobody else sends it meanwhile; when the sender dies it simply becomes
 * due again, and at most that one message goes out twice. Then it is **delivered**; or **failed**,
 * because the provider refused it or it was tried {@link MAX_ATTEMPTS} times; or pending again,
 * due after a growing pause.
 */
const CLAIM_MS = SEND_TIMEOUT_MS + 22_000;

/** With the pauses of {@link pauseMs} a channel may be dead for six hours before anything is lost. */
export const MAX_ATTEMPTS = 20;

const FIRST_PAUSE_MS = 15_000;
const LONGEST_PAUSE_MS = 30 * 60_000;

/** Pause after the given number of tries: doubling, at most half an hour. */
export function pauseMs(attempts: number): number {
  return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, attempts - 1));
}

export type ClaimedDelivery = {
  readonly seq: number;
  readonly userId: UserId;
  readonly attempts: number;
  /** False when the person has lost their rights since the event. */
  readonly isAdmin: boolean;
  readonly title: string;
  readonly body: string;
  readonly link: string | null;
};

const claimedRowSchema = z.object({ seq: z.number(), attempts: z.number() });

const claimedDetailSchema = z.object({
  user_id: userIdSchema,
  is_admin: z.number(),
  title: z.string(),
  body: z.string(),
  link: z.nullable(z.string()),
});

/** Takes the delivery that is due longest, or null when none is, or the channel is held. */
export async function claimDelivery(
  database: Database,
  channel: OutsideChannel,
  nowMs: number,
): Promise<ClaimedDelivery | null> {
  const { rows } = await database.run(sql`
    UPDATE notification_deliveries
    SET attempts = attempts + 1, next_attempt_at = ${nowMs + CLAIM_MS}
    WHERE seq = (
      SELECT seq FROM notification_deliveries
      WHERE channel = ${channel} AND status = 'pending' AND next_attempt_at <= ${nowMs}
        AND NOT EXISTS (SELECT 1 FROM notification_channels c
          WHERE c.channel = ${channel} AND c.held_until > ${nowMs})
      ORDER BY next_attempt_at LIMIT 1)
    RETURNING seq, attempts`);
  if (rows[0] === undefined) return null;
  const { seq, attempts } = claimedRowSchema.parse(rows[0]);
  const [row] = await database.all(sql`
    SELECT d.user_id, (u.permissions <> '[]' AND u.banned_at IS NULL) AS is_admin,
      e.title, e.body, e.link
    FROM notification_deliveries d
    JOIN notification_events e ON e.seq = d.event_seq
    JOIN users u ON u.id = d.user_id
    WHERE d.seq = ${seq}`);
  const detail = claimedDetailSchema.parse(row);
  return {
    seq,
    attempts,
    userId: detail.user_id,
    isAdmin: detail.is_admin === 1,
    title: detail.title,
    body: detail.body,
    link: detail.link,
  };
}

export function markDelivered(seq: number, atMs: number): Statement {
  return sql`
    UPDATE notification_deliveries
    SET status = 'delivered', delivered_at = ${atMs}, next_attempt_at = NULL, error = NULL
    WHERE seq = ${seq} AND status = 'pending'`;
}

export function markFailed(seq: number, error: string): Statement {
  return sql`
    UPDATE notification_deliveries
    SET status = 'failed', next_attempt_at = NULL, error = ${error}
    WHERE seq = ${seq} AND status = 'pending'`;
}

export function markForRetry(seq: number, error: string, nextAttemptAt: number): Statement {
  return sql`
    UPDATE notification_deliveries SET next_attempt_at = ${nextAttemptAt}, error = ${error}
    WHERE seq = ${seq} AND status = 'pending'`;
}

/** The provider asked for silence: nothing goes out over the channel before `untilMs`. */
export function holdChannel(channel: OutsideChannel, untilMs: number): Statement {
  return sql`
    UPDATE notification_channels SET held_until = max(held_until, ${untilMs})
    WHERE channel = ${channel}`;
}

/** Until when the channel is held; a time in the past when it is free. */
export async function readHeldUntil(database: Database, channel: OutsideChannel): Promise<number> {
  const [row] = await database.all(
    sql`SELECT held_until FROM notification_channels WHERE channel = ${channel}`,
  );
  return z.object({ held_until: z.number() }).parse(row).held_until;
}

const logRowSchema = z.object({
  seq: z.number(),
  type: eventTypeSchema,
  title: z.string(),
  body: z.string(),
  channel: deliverySchema.shape.channel,
  status: deliverySchema.shape.status,
  attempts: z.number(),
  error: z.nullable(z.string()),
  created_at: z.number(),
  delivered_at: z.nullable(z.number()),
});

/** One person's delivery log, newest first. */
export async function readDeliveryLog(
  database: Database,
  userId: UserId,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ events: Delivery[]; total: number }> {
  const [rows, [count]] = await Promise.all([
    database.all(sql`
      SELECT d.seq, e.type, e.title, e.body, d.channel, d.status, d.attempts, d.error,
        d.created_at, d.delivered_at
      FROM notification_deliveries d JOIN notification_events e ON e.seq = d.event_seq
      WHERE d.user_id = ${userId}
      ORDER BY d.seq DESC LIMIT ${page.limit} OFFSET ${page.offset}`),
    database.all(
      sql`SELECT count(*) AS total FROM notification_deliveries WHERE user_id = ${userId}`,
    ),
  ]);
  return {
    events: rows.map(readLogEntry),
    total: z.object({ total: z.number() }).parse(count).total,
  };
}

function readLogEntry(row: Row): Delivery {
  const entry = logRowSchema.parse(row);
  return {
    id: String(entry.seq),
    type: entry.type,
    severity: EVENT_TYPE_INFO[entry.type].severity,
    title: entry.title,
    body: entry.body,
    channel: entry.channel,
    status: entry.status,
    attempts: entry.attempts,
    error: entry.error,
    createdAt: new Date(entry.created_at).toISOString(),
    deliveredAt: entry.delivered_at === null ? null : new Date(entry.delivered_at).toISOString(),
  };
}
