import type { DataOf, QueryOf } from "#contract/call.ts";
import type { Channel, listChannels } from "#contract/channels.ts";
import { ApiError } from "#service/api-error.ts";
import { inDirection, pagedList, windowOf } from "#service/db/list.ts";
import { matchesOf, searchFor } from "#service/db/search.ts";
import { all, sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import type { Database, Row, Statement } from "#service/ports/database.ts";
import { IS_CHANGED } from "#service/storage/upload-vod.ts";
import { HAS_TROUBLE, readChannels } from "./channel-row.ts";
import { EARLIEST_DANGER, inDanger, NEWEST_VOD } from "./vod-state.ts";

type ChannelQuery = QueryOf<typeof listChannels>;
type Summary = DataOf<typeof listChannels>["summary"];

/** "Lost" counts those of so long. */
const LOST_MS = 30 * 86_400_000;

/** One page of the channels, and figures over all of them. */
export async function pageChannels(
  { database, clock }: Pick<Platform, "database" | "clock">,
  query: ChannelQuery,
): Promise<DataOf<typeof listChannels>> {
  const nowMs = clock.now();
  const { offset, limit } = windowOf(query);
  const where = all(filters(query, nowMs));
  const direction = inDirection(query.sortOrder);
  // Each channel is filtered and given its value once. Those without one come last in either direction.
  const [found] = await database.all(sql`
    WITH found AS MATERIALIZED (
      SELECT c.owner_id, o.display_name AS name, ${SORT_COLUMNS[query.sortBy]} AS value
      FROM channels c JOIN users o ON o.id = c.owner_id WHERE ${where})
    SELECT ${channelFigures(nowMs)}, (SELECT count(*) FROM found) AS total,
      (SELECT json_group_array(owner_id) FROM (SELECT owner_id FROM found
        ORDER BY value COLLATE NOCASE ${direction} NULLS LAST, name COLLATE NOCASE, owner_id
        LIMIT ${limit} OFFSET ${offset})) AS ids`);
  const items = await readChannels(database, String(found?.["ids"]));
  const total = { total: Number(found?.["total"]), totalIsCapped: false };
  return { ...pagedList(items, total, query), summary: readSummary(found) };
}

/** @throws {ApiError} not_found */
export async function requireChannel(database: Database, id: string): Promise<Channel> {
  const [channel] = await readChannels(database, JSON.stringify([id]));
  if (channel === undefined) throw new ApiError("not_found", "There is no such channel.");
  return channel;
}

const SORT_COLUMNS: Readonly<Record<ChannelQuery["sortBy"], Statement>> = {
  name: sql`o.display_name COLLATE NOCASE`,
  lastVodAt: NEWEST_VOD,
  dangerAt: EARLIEST_DANGER,
  size: sql`(SELECT sum(bytes) FROM file_counts WHERE user_id = c.owner_id
    AND upload_type = 'twitch' AND status = 'complete')`,
  checkedAt: sql`c.listed_at`,
};

function filters({ search: typed, state }: ChannelQuery, nowMs: number): readonly Statement[] {
  const search = searchFor("user_search", typed?.trim().replace(/^@(?=.)/s, ""), ["name", "id"]);
  return [
    ...(search === null ? [] : [sql`o.seq IN (${matchesOf(search)})`]),
    ...(state === undefined ? [] : [ofState(state, nowMs)]),
  ];
}

function ofState(state: NonNullable<ChannelQuery["state"]>, nowMs: number): Statement {
  const conditions: Readonly<Record<typeof state, Statement>> = {
    live: sql`c.stream_id IS NOT NULL`,
    danger: sql`c.owner_id IN (${inDanger(sql`v.owner_id`, nowMs)})`,
    lost: sql`c.owner_id IN (SELECT v.owner_id FROM vods v WHERE ${isLost(nowMs)})`,
    trouble: HAS_TROUBLE,
    paused: sql`c.paused_at IS NOT NULL`,
  };
  return conditions[state];
}

/** Condition on a VOD `v`, for the index by both columns. Only what is gone is lost. */
function isLost(nowMs: number): Statement {
  return sql`(${IS_CHANGED} AND v.is_stored IN (0, 1) AND v.lost_at >= ${nowMs - LOST_MS})`;
}

/** Columns of the figures over all channels. */
export function channelFigures(nowMs: number): Statement {
  return sql`(SELECT count(*) FROM channels) AS channels,
    (SELECT count(*) FROM channels WHERE stream_id IS NOT NULL) AS live,
    (SELECT count(*) FROM (${inDanger(sql`1`, nowMs)})) AS inDanger,
    (SELECT count(*) FROM vods v WHERE ${isLost(nowMs)}) AS lost,
    (SELECT count(*) FROM vods v WHERE ${IS_CHANGED} AND v.is_stored = 1) AS rare`;
}

export function readSummary(row: Row | undefined): Summary {
  const of = (name: keyof Summary) => Number(row?.[name] ?? 0);
  return {
    channels: of("channels"),
    live: of("live"),
    inDanger: of("inDanger"),
    lost: of("lost"),
    rare: of("rare"),
  };
}
