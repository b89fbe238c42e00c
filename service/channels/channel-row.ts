import * as z from "zod/mini";
import { ruleChangesSchema } from "#contract/channel-rules.ts";
import { type Channel, channelSchema } from "#contract/channels.ts";
import { publicProfileSchema } from "#contract/upload.ts";
import { archiveCost } from "#service/costs/archive-cost.ts";
import { flagColumn, instantColumn } from "#service/db/columns.ts";
import { jsonText } from "#service/db/json-text.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Row } from "#service/ports/database.ts";
import { AUTHOR_MAY_START, HAS_BASIS, HAS_CONSENT } from "#service/storage/rule-permission.ts";
import { NOT_CHECKED, TROUBLE } from "./channel-finding.ts";
import { USUAL_DAYS } from "./deletion-period.ts";
import { defaultRule, effectiveRule } from "./rule.ts";
import { EARLIEST_DANGER, EARLIEST_LEFT_OUT_DANGER, NEWEST_VOD } from "./vod-state.ts";

const channelRow = z.object({
  ...z.pick(channelSchema, {
    id: true,
    login: true,
    displayName: true,
    profileImageUrl: true,
    deletesAfterDays: true,
    ownDeletesAfterDays: true,
    trouble: true,
  }).shape,
  addedAt: instantColumn,
  pausedAt: z.nullable(instantColumn),
  lastVodAt: z.nullable(instantColumn),
  dangerAt: z.nullable(instantColumn),
  leftOutDangerAt: z.nullable(instantColumn),
  checkedAt: z.nullable(instantColumn),
  liveSince: z.nullable(instantColumn),
  liveTitle: z.nullable(z.string()),
  author: jsonText(publicProfileSchema),
  agreedAt: z.nullable(instantColumn),
  reason: z.nullable(z.string()),
  confirmedAt: z.nullable(instantColumn),
  mayAuthorStart: flagColumn,
  changes: jsonText(ruleChangesSchema),
  defaults: jsonText(ruleChangesSchema),
  archived: jsonText(z.tuple([z.number(), z.number(), z.number()])),
  /** What is wanted again after a failure counts as failed. */
  states: jsonText(z.record(z.string(), z.number())),
});

/** SELECT list of channels `c` and their owners `o`; append WHERE and ORDER BY. */
const SELECT_CHANNEL = sql`
  SELECT c.owner_id AS id, o.login, o.display_name AS displayName,
    o.profile_image_url AS profileImageUrl, c.added_at AS addedAt, c.paused_at AS pausedAt,
    json_object('userId', a.id, 'twitchId', a.id, 'username', a.login, 'displayName', a.display_name,
      'profileImageUrl', a.profile_image_url) AS author,
    iif(${HAS_CONSENT}, k.agreed_at, NULL) AS agreedAt,
    r.reason, r.confirmed_at AS confirmedAt, ${AUTHOR_MAY_START} AS mayAuthorStart,
    iif(c.stream_id IS NULL, NULL, c.live_since) AS liveSince, c.stream_title AS liveTitle,
    ${NEWEST_VOD} AS lastVodAt, ${EARLIEST_DANGER} AS dangerAt,
    ${EARLIEST_LEFT_OUT_DANGER} AS leftOutDangerAt,
    coalesce(c.deletes_after_days, ${USUAL_DAYS}) AS deletesAfterDays, c.deletes_after_days AS ownDeletesAfterDays,
    coalesce((SELECT json_array(files, duration_ms / 1000.0, bytes) FROM file_counts
      WHERE user_id = c.owner_id AND status = 'complete' AND upload_type = 'twitch'), '[0,0,0]')
      AS archived,
    (SELECT json_group_object(state, vods) FROM (
      SELECT iif(v.state = 'wanted' AND v.upload_status = 'failed', 'failed', v.state) AS state,
        count(*) AS vods
      FROM vod_states v WHERE v.owner_id = c.owner_id GROUP BY 1)) AS states,
    c.changes, d.default_rule AS defaults, c.listed_at AS checkedAt,
    ${TROUBLE} AS trouble
  FROM channels c JOIN users o ON o.id = c.owner_id JOIN users a ON a.id = c.author_id
    JOIN deployment d
    LEFT JOIN consents k ON k.owner_id = c.owner_id
    LEFT JOIN rights_confirmations r ON r.owner_id = c.owner_id AND r.confirmed_by = c.author_id
      AND trim(r.reason) <> ''`;

/** The channels in the order of `ids`, which are a JSON array. */
export async function readChannels(database: Database, ids: string): Promise<Channel[]> {
  const rows = await database.all(sql`${SELECT_CHANNEL}
    JOIN json_each(${ids}) AS wanted ON wanted.value = c.owner_id
    ORDER BY wanted.key`);
  return rows.map(readChannel);
}

/** Condition on a channel `c`: something is wrong, as {@link Channel.trouble} says. */
export const HAS_TROUBLE = sql`(coalesce(c.unknown_at, c.keeps_none_at, ${NOT_CHECKED}) IS NOT NULL OR NOT ${HAS_BASIS}
  OR NOT ${AUTHOR_MAY_START})`;

function readChannel(row: Row): Channel {
  const { agreedAt, reason, confirmedAt, mayAuthorStart, defaults, liveSince, liveTitle, ...read } =
    channelRow.parse(row);
  const { archived, states, ...channel } = read;
  const [files, durationSec, sizeBytes] = archived;
  const count = (...names: string[]) => names.reduce((sum, name) => sum + (states[name] ?? 0), 0);
  const basis: Channel["basis"] =
    agreedAt !== null
      ? { kind: "consent", agreedAt }
      : reason !== null && confirmedAt !== null
        ? { kind: "confirmation", confirmedBy: channel.author, reason, confirmedAt }
        : null;
  return {
    ...channel,
    basis,
    live: liveSince === null ? null : { title: liveTitle ?? "", startedAt: liveSince },
    archived: {
      files,
      durationSec,
      sizeBytes,
      usdPerMonth: archiveCost(sizeBytes, null).storageUsdPerMonth,
    },
    vods: {
      stored: count("stored"),
      waiting: count("wanted", "queued", "copying"),
      failed: count("failed"),
      leftOut: count("left_out"),
      lost: count("lost"),
    },
    rule: effectiveRule(defaultRule(defaults), channel.changes),
    trouble: troubleOf(channel, basis, mayAuthorStart),
  };
}

function troubleOf(
  { displayName, author, trouble }: Pick<Channel, "displayName" | "author" | "trouble">,
  basis: Channel["basis"],
  mayAuthorStart: boolean,
): string | null {
  if (basis === null)
    return `${displayName} has not agreed to archiving, and ${author.displayName} has not confirmed the rights.`;
  if (!mayAuthorStart)
    return `${author.displayName}, on whose rights the rule acts, may no longer start uploads. Whoever saves the rule takes it over.`;
  return trouble;
}
