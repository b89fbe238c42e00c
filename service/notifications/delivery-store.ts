import * as z from "zod/mini";
import type { UserId } from "#contract/ids.ts";
import { eventTypeSchema } from "#contract/notification-events.ts";
import { type Delivery, deliverySchema } from "#contract/notifications.ts";
import { permissionSchema } from "#contract/permissions.ts";
import { flagColumn, instantColumn } from "#service/db/columns.ts";
import { jsonText } from "#service/db/json-text.ts";
import { isPast } from "#service/db/due-time.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Row, Statement } from "#service/ports/database.ts";
import type { OutsideChannel } from "./channel.ts";
import { linkFor } from "#service/changes/event-link.ts";
import { groupText } from "./event-group.ts";
import { EVENT_TYPE_INFO } from "./event-types.ts";

/**
 * The states of a delivery over an external channel.
 *
 * It starts as **pending**. The job of its channel and person (delivery-round.ts) sends it once
 * `due_at` has come; if the process dies meanwhile, at most that one message is sent twice. It then
 * becomes **delivered**; or **failed**, if the provider refused it or as many attempts
 * failed as its kind of job allows (jobs/job-kinds.ts).
 */

/** From this number of pending messages to one person, they are sent as one. */
const BUNDLED_FROM = 5;
const MAX_BUNDLED = 50;

/** One message to one person: one delivery, or a bundle of them. */
export type DueDeliveries = {
  /** False when the person has lost their rights since the event. */
  readonly isAdmin: boolean;
  /** Oldest first, at least one. */
  readonly entries: readonly DueEntry[];
};

export type DueEntry = {
  readonly seq: number;
  readonly createdAt: number;
  /** Attempts so far, including this one. */
  readonly attempts: number;
  readonly title: string;
  readonly body: string;
  /** Null also when the person may not open it. */
  readonly link: string | null;
};

const dueSchema = z.object({
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

const HELD_UNTIL = {
  telegram: sql`telegram_held_until`,
  email: sql`email_held_until`,
} as const satisfies Record<OutsideChannel, Statement>;

/** The channel's pause, until then; 0 if there is none. */
function heldUntil(channel: OutsideChannel, nowMs: number): Statement {
  const until = HELD_UNTIL[channel];
  return sql`coalesce((SELECT ${until} FROM deployment WHERE NOT ${isPast(until, nowMs)}), 0)`;
}

const isPending = (channel: OutsideChannel, userId: string) =>
  sql`channel = ${channel} AND status = 'pending' AND receiver = ${userId}`;

/** When the next message to a person is due; null if none waits. */
export function nextDelivery(channel: OutsideChannel, userId: string, nowMs: number): Statement {
  return sql`(SELECT max(min(due_at), ${heldUntil(channel, nowMs)})
    FROM notification_deliveries WHERE ${isPending(channel, userId)})`;
}

/** What is due for a person; null if nothing is or the channel is paused. */
export async function readDue(
  database: Database,
  channel: OutsideChannel,
  userId: string,
  nowMs: number,
): Promise<DueDeliveries | null> {
  const rows = await database.all(sql`
    SELECT d.seq, d.events, e.type, e.cause, d.attempts + 1 AS attempts, d.created_at AS createdAt,
      u.permissions, u.banned_at IS NOT NULL AS isBanned, e.title, e.body, e.link
    FROM (SELECT * FROM notification_deliveries
      WHERE ${isPending(channel, userId)} AND ${isPast(sql`due_at`, nowMs)}
        AND ${heldUntil(channel, nowMs)} = 0 ORDER BY due_at, seq LIMIT ${MAX_BUNDLED}) d
    JOIN notification_events e ON e.seq = d.event_seq
    JOIN users u ON u.id = d.receiver ORDER BY d.due_at, d.seq`);
  const [first, ...others] = rows.map((row) => dueSchema.parse(row));
  if (first === undefined) return null;
  const all = [first, ...others];
  const sent = all.length < BUNDLED_FROM ? [first] : all.toSorted((a, b) => a.seq - b.seq);
  return {
    isAdmin: first.permissions.length > 0 && !first.isBanned,
    entries: sent.map((entry) => {
      const text = groupText(entry.type, entry.cause, entry.events, entry);
      return { ...entry, ...text, link: linkFor(text.link, first.permissions) };
    }),
  };
}

/** What is being sent takes no further event (outbox.ts). */
export function markBegun(seqs: readonly number[]): Statement {
  return sql`UPDATE notification_deliveries SET attempts = attempts + 1 WHERE seq IN ${seqList(seqs)}`;
}

/** Binds any number of row numbers as one value. */
function seqList(seqs: readonly number[]): Statement {
  return sql`(SELECT value FROM json_each(${JSON.stringify(seqs)}))`;
}

/** `deliveredAtMs` is null unless they were. */
export function markEnded(
  seqs: readonly number[],
  status: "pending" | "delivered" | "failed",
  error: string | null,
  deliveredAtMs: number | null = null,
): Statement {
  return sql`
    UPDATE notification_deliveries
    SET status = ${status}, result = ${error}, attempted_at = ${deliveredAtMs}
    WHERE seq IN ${seqList(seqs)} AND status = 'pending'`;
}

/** Pauses the channel until `untilMs`, as its provider asked. */
export function holdChannel(channel: OutsideChannel, untilMs: number): Statement {
  const until = HELD_UNTIL[channel];
  return sql`UPDATE deployment SET ${until} = max(${until}, ${untilMs})`;
}

/** When the channel's pause ends; a time in the past if it is not paused. */
export async function readHeldUntil(database: Database, channel: OutsideChannel): Promise<number> {
  const [row] = await database.all(
    sql`SELECT ${HELD_UNTIL[channel]} AS held_until FROM deployment`,
  );
  return z.object({ held_until: z.number() }).parse(row).held_until;
}

const logRow = z.extend(z.omit(deliverySchema, { severity: true }), {
  events: z.number(),
  cause: z.nullable(z.string()),
  createdAt: instantColumn,
  deliveredAt: z.nullable(instantColumn),
});

/** One person's delivery log, newest first. */
export async function readDeliveryLog(
  database: Database,
  userId: UserId,
  page: { readonly limit: number; readonly offset: number },
): Promise<{ events: Delivery[]; total: number }> {
  const [rows, [count]] = await Promise.all([
    database.all(sql`
      SELECT CAST(d.seq AS TEXT) AS id, d.events, e.type, e.cause, e.title, e.body, d.channel, d.status, d.attempts,
        d.result AS error, d.created_at AS createdAt, d.attempted_at AS deliveredAt
      FROM notification_deliveries d JOIN notification_events e ON e.seq = d.event_seq
      WHERE d.receiver = ${userId}
      ORDER BY d.seq DESC LIMIT ${page.limit} OFFSET ${page.offset}`),
    database.all(
      sql`SELECT count(*) AS total FROM notification_deliveries WHERE receiver = ${userId}`,
    ),
  ]);
  return {
    events: rows.map(readLogEntry),
    total: z.object({ total: z.number() }).parse(count).total,
  };
}

function readLogEntry(row: Row): Delivery {
  const { events, cause, ...entry } = logRow.parse(row);
  const { title, body } = groupText(entry.type, cause, events, { ...entry, link: null });
  return { ...entry, title, body, severity: EVENT_TYPE_INFO[entry.type].severity };
}
