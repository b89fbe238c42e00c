import * as z from "zod/mini";
import type { UserId } from "#contract/ids.ts";
import { deliverySchema, type Delivery } from "#contract/notifications.ts";
import { instantColumn } from "#service/db/columns.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Row } from "#service/ports/database.ts";
import { groupText } from "./event-group.ts";
import { EVENT_TYPE_INFO } from "./event-types.ts";

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
