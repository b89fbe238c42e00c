import { recordedChange } from "#service/changes/recorded-change.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";

/** What was found out about a channel, so that nothing of it is archived. It is told once. */

const KEEPS_NONE = "live, but keeps no VODs at Twitch.";
const UNKNOWN = "Twitch no longer knows this channel. It is banned, or was deleted.";

/** Of a channel `c`: why its streams or its list could not be asked for, as a sentence. */
export const NOT_CHECKED = sql`coalesce(c.trouble,
  (SELECT error FROM jobs WHERE kind = 'list' AND key = c.owner_id))`;

/** Of a channel `c` of an owner `o`: what is wrong, as a sentence; null if nothing is. */
export const TROUBLE = sql`coalesce(iif(c.unknown_at IS NULL, NULL, ${UNKNOWN}), ${NOT_CHECKED},
  iif(c.keeps_none_at IS NULL, NULL,
    o.display_name || iif(c.stream_id IS NULL, ' was ', ' is ') || ${KEEPS_NONE}))`;

type Finding = { readonly ownerId: string; readonly displayName: string; readonly nowMs: number };

/** The statements for a finding that `which` does not exclude. */
export function recordKeepsNone(channel: Finding, which: Statement): readonly Statement[] {
  return record(sql`keeps_none_at`, channel, which, `${channel.displayName} is ${KEEPS_NONE}`);
}

export function recordUnknown(channel: Finding, which: Statement): readonly Statement[] {
  return record(sql`unknown_at`, channel, which, `${channel.displayName}: ${UNKNOWN}`);
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
