import * as z from "zod/mini";
import type { DataOf, QueryOf } from "#contract/call.ts";
import { type listVods, type Vod, vodSchema } from "#contract/channel-vods.ts";
import { inDirection, pagedList, windowOf } from "#service/db/list.ts";
import { flagColumn, instantColumn } from "#service/db/columns.ts";
import { jsonText } from "#service/db/json-text.ts";
import { searchTerm } from "#service/db/search.ts";
import { all, sql } from "#service/db/sql.ts";
import type { Database, Row, Statement } from "#service/ports/database.ts";
import { amountOf, readSizeEstimate } from "./bit-rate.ts";
import { requireChannel } from "./channel-list.ts";
import { findUntaken } from "./vod-decision.ts";
import { HAS_NO_UPLOAD } from "./vod-state.ts";

type VodQuery = QueryOf<typeof listVods>;

const nullableInstant = z.nullable(instantColumn);

const vodRow = z.object({
  ...z.pick(vodSchema, {
    id: true,
    kind: true,
    title: true,
    durationSec: true,
    state: true,
    reason: true,
    waitsFor: true,
    fileKey: true,
  }).shape,
  recordedAt: instantColumn,
  isGrowing: flagColumn,
  dangerAt: nullableInstant,
  storedBytes: z.nullable(z.number()),
  upload: z.nullable(jsonText(vodSchema.shape.upload)),
  goneAt: nullableInstant,
  cutAt: nullableInstant,
  mutedAt: nullableInstant,
  longerAt: nullableInstant,
});

/** One page of a channel's VODs, and what is not archived of all. @throws {ApiError} not_found */
export async function pageVods(
  database: Database,
  channelId: string,
  query: VodQuery,
  nowMs: number,
): Promise<DataOf<typeof listVods>> {
  const channel = await requireChannel(database, channelId);
  const { rule } = channel;
  const { offset, limit } = windowOf(query);
  const direction = inDirection(query.sortOrder);
  const column = SORT_COLUMNS[query.sortBy];
  const where = all([sql`v.owner_id = ${channelId}`, ...filters(query)]);
  const order = sql`${column} ${direction} NULLS LAST, v.seq ${direction}`;
  const removed = await findUntaken(database, channel, nowMs);
  const [estimate, [counted], open, rows] = await Promise.all([
    readSizeEstimate(database, channelId),
    database.all(sql`SELECT count(*) AS total FROM vod_states v WHERE ${where}`),
    database.all(sql`SELECT v.duration_sec AS durationSec,
        v.vod_id IN (SELECT value FROM json_each(${JSON.stringify([...removed])})) AS isRemoved
      FROM vod_states v
      WHERE v.owner_id = ${channelId} AND v.gone_at IS NULL AND ${HAS_NO_UPLOAD}`),
    database.all(sql`${SELECT_VOD}
      WHERE v.seq IN (SELECT v.seq FROM vod_states v WHERE ${where} ORDER BY ${order}
        LIMIT ${limit} OFFSET ${offset}) ORDER BY ${order}`),
  ]);
  const sizeOf = (durationSec: number | null) =>
    estimate.sizeOf(channelId, rule.quality, durationSec);
  // There may be many, of which none is answered: they are not parsed.
  const archivable = open.map((row) => {
    const durationSec = Number(row["durationSec"] ?? 0);
    const isRemoved = row["isRemoved"] === 1;
    return { channelId, durationSec, sizeBytes: sizeOf(durationSec), isRemoved };
  });
  const total = { total: Number(counted?.total), totalIsCapped: false };
  return {
    ...pagedList(
      rows.map((row) => readVod(row, sizeOf)),
      total,
      query,
    ),
    notArchived: amountOf(
      archivable.filter(({ isRemoved }) => !isRemoved),
      estimate,
    ),
    removedAtOnce: archivable.filter(({ isRemoved }) => isRemoved).length,
  };
}

const SORT_COLUMNS: Readonly<Record<VodQuery["sortBy"], Statement>> = {
  recordedAt: sql`v.recorded_at`,
  dangerAt: sql`iif(v.state = 'stored', NULL, v.danger_at)`,
  duration: sql`v.duration_sec`,
};

function filters({ search, state }: VodQuery): readonly Statement[] {
  const term = searchTerm(search);
  return [
    // A channel has few enough VODs to read all their titles.
    ...(term === null ? [] : [sql`instr(lower(v.title), lower(${term})) > 0`]),
    ...(state === undefined ? [] : [sql`v.state = ${state}`]),
  ];
}

const SELECT_VOD = sql`
  SELECT v.vod_id AS id, v.kind, v.title, v.duration_sec AS durationSec,
    v.recorded_at AS recordedAt, v.is_growing AS isGrowing, v.state,
    coalesce(v.reason, iif(v.decision = 'take', 'by_hand', NULL)) AS reason,
    v.waits_for AS waitsFor, v.danger_at AS dangerAt, f.size_bytes AS storedBytes,
    f.object_key AS fileKey,
    CASE WHEN u.id IS NOT NULL THEN json_object('id', u.id, 'progress', u.progress) END AS upload,
    v.gone_at AS goneAt, v.cut_at AS cutAt, v.muted_at AS mutedAt,
    v.longer_at AS longerAt
  FROM vod_states v
  LEFT JOIN uploads u ON u.seq = (SELECT max(n.seq) FROM uploads n WHERE n.vod_id = v.vod_id)
  LEFT JOIN files f ON f.seq = (SELECT max(s.seq) FROM files s WHERE s.vod_id = v.vod_id
    AND s.upload_type = 'twitch' AND s.status <> 'partial')`;

function readVod(row: Row, sizeOf: (durationSec: number | null) => number): Vod {
  const { storedBytes, goneAt, cutAt, mutedAt, longerAt, ...vod } = vodRow.parse(row);
  return {
    ...vod,
    sizeBytes: storedBytes ?? sizeOf(vod.durationSec),
    reason: vod.state === "left_out" ? vod.reason : null,
    waitsFor: vod.state === "wanted" ? vod.waitsFor : null,
    dangerAt: vod.state === "stored" || goneAt !== null ? null : vod.dangerAt,
    sourceChange:
      vod.state === "stored" ? sourceChange({ goneAt, cutAt, mutedAt, longerAt }) : null,
  };
}

/** The gravest change counts. */
function sourceChange({
  goneAt,
  cutAt,
  mutedAt,
  longerAt,
}: Record<"goneAt" | "cutAt" | "mutedAt" | "longerAt", string | null>): Vod["sourceChange"] {
  if (goneAt !== null) return { kind: "gone", since: goneAt };
  if (cutAt !== null) return { kind: "cut", since: cutAt };
  if (mutedAt !== null) return { kind: "muted", since: mutedAt };
  return longerAt === null ? null : { kind: "longer", since: longerAt };
}
