import { recordedChange } from "#service/changes/recorded-change.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";

/** What was found out about a channel, so that nothing of it is archived. It is told once. */

const KEEPS_NONE = "live, but keeps no VODs at Twitch.";
const UNKNOWN = "Twitch no longer knows this channel. It is banned, or was deleted.";

/** Of a channel `c` of an owner `o`: what is wrong, as a sentence; null if nothing is. */
export const TROUBLE = sql`CASE WHEN c.unknown_at IS NOT NULL THEN ${UNKNOWN}
  WHEN c.trouble IS NOT NULL THEN c.trouble
  WHEN c.keeps_none_at IS NOT NULL
    THEN o.display_name || iif(c.stream_id IS NULL, ' was ', ' is ') || ${KEEPS_NONE} END`;

type Finding = { readonly ownerId: string; readonly displayName: string; readonly nowMs: number };

/** The statements for a finding that `which` does not exclude. */
export function recordKeepsNone(channel: Finding, which: Statement): readonly Statement[] {
  return record(sql`keeps_none_at`, channel, which, `${channel.displayName} is ${KEEPS_NONE}`);
}

export function recordUnknown(channel: Finding): readonly Statement[] {
  return record(sql`unknown_at`, channel, sql`TRUE`, `${channel.displayName}: ${UNKNOWN}`);
}

function record(
  column: Statement,
  { ownerId, nowMs }: Finding,
  which: Statement,
  body: string,
): readonly Statement[] {
  return recordedChange(
    sql`UPDATE channels SET ${column} = ${nowMs}
      WHERE owner_id = ${ownerId} AND ${column} IS NULL AND ${which}`,
    nowMs,
    {
      event: {
        type: "channel_trouble",
        subject: ownerId,
        title: "A channel gives no VODs",
        body,
        link: `/channels/${ownerId}`,
      },
    },
  );
}
