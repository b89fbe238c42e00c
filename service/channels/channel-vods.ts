import * as z from "zod/mini";
import { isInPart, parts, rowsAsJson } from "#service/db/rows-as-json.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Statement } from "#service/ports/database.ts";
import { HAS_BASIS } from "#service/storage/rule-permission.ts";
import type { JudgedVod } from "./rule.ts";

/** A VOD of a channel's list, for rules to judge. */
type DecidedVod = JudgedVod & {
  readonly seq: number;
  readonly ownerId: string;
  readonly vodId: string;
  readonly isStored: boolean;
  readonly decision: string | null;
  readonly reason: string | null;
  readonly isByHand: boolean;
};

const DECIDED_VOD = sql`'seq', v.seq, 'ownerId', v.owner_id, 'vodId', v.vod_id, 'kind', v.kind,
  'title', v.title, 'durationSec', v.duration_sec, 'recordedAtMs', v.recorded_at,
  'isGrowing', ${flag(sql`v.is_growing`)}, 'isStored', ${flag(sql`v.is_stored`)},
  'decision', v.decision, 'reason', v.reason,
  'isByHand', ${flag(sql`v.decided_by IS NOT NULL`)}`;

const pageRow = z.object({ vods: rowsAsJson<DecidedVod>() });

/** Of the VODs `v` at their sources that meet `which`, the first `limit` of a higher `seq` than `after`. */
export async function readVodPage(
  database: Database,
  which: Statement,
  after: number,
  limit: number,
): Promise<readonly DecidedVod[]> {
  const [row] = await database.all(sql`
    SELECT json_group_array(json_object(${DECIDED_VOD})) AS vods
    FROM vod_states v WHERE v.seq IN (SELECT v.seq FROM vods v
      WHERE ${which} AND v.seq > ${after} AND v.gone_at IS NULL ORDER BY v.seq LIMIT ${limit})`);
  return pageRow.parse(row).vods;
}

export type ChannelVod = DecidedVod & {
  /** Of its newest upload. */
  readonly uploadStatus: string | null;
};

type ChannelVods = z.infer<typeof channelRow>;

const channelRow = z.object({
  ownerId: z.string(),
  addedAtMs: z.number(),
  isListed: z.number(),
  hasBasis: z.number(),
  vods: rowsAsJson<ChannelVod>(),
});

/** Reads channels `c` with those VODs `v` at their sources that meet `which`. */
export async function readChannelVods(
  database: Database,
  ofChannels: Statement,
  which: Statement = sql`TRUE`,
): Promise<readonly ChannelVods[]> {
  const counts = sql`SELECT (SELECT count(*) FROM vods v WHERE v.owner_id = c.owner_id) AS n
    FROM channels c WHERE ${ofChannels}`;
  const rows = await database.all(sql`
    WITH ${parts(counts)}
    SELECT c.owner_id AS ownerId, c.added_at AS addedAtMs, c.listed_at IS NOT NULL AS isListed,
      ${HAS_BASIS} AS hasBasis,
      (SELECT json_group_array(json_object(${DECIDED_VOD}, 'uploadStatus', v.upload_status))
        FROM vod_states v WHERE v.owner_id = c.owner_id AND v.gone_at IS NULL
          AND ${isInPart(sql`v.seq`)} AND ${which}) AS vods
    FROM channels c CROSS JOIN part WHERE ${ofChannels}`);
  const byChannel = Map.groupBy(
    rows.map((row) => channelRow.parse(row)),
    ({ ownerId }) => ownerId,
  );
  return [...byChannel.values()].flatMap(([channel, ...more]) =>
    channel === undefined
      ? []
      : [{ ...channel, vods: [channel, ...more].flatMap(({ vods }) => vods) }],
  );
}

function flag(condition: Statement): Statement {
  return sql`iif(${condition}, json('true'), json('false'))`;
}
