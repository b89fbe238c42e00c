import * as z from "zod/mini";
import { type Retention, retentionSchema } from "#contract/channel-rules.ts";
import { jsonText } from "#service/db/json-text.ts";
import { isInPart, parts, rowsAsJson } from "#service/db/rows-as-json.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Row, Statement } from "#service/ports/database.ts";

/** The stored files `f` of a rule `r` that have a date, by their index. */
const DATED_FILES = sql`files f INDEXED BY files_of_user_by_recording
  WHERE f.user_id = r.owner_id AND f.recorded_at IS NOT NULL AND f.upload_type = 'twitch'`;

const DAY_MS = 86_400_000;

/** Why a retention keeps a file `f`, whatever its rule says of the VOD; null if nothing protects it. */
const PROTECTION = sql`CASE
  WHEN f.locked_at IS NOT NULL THEN 'locked'
  WHEN EXISTS (SELECT 1 FROM uploads u WHERE u.vod_id = f.vod_id AND u.by_rule = 0)
    OR EXISTS (SELECT 1 FROM vods v WHERE v.vod_id = f.vod_id AND v.decided_by IS NOT NULL)
    THEN 'by_hand'
  WHEN f.status = 'orphaned' OR json_extract(f.metadata, '$.problem') IS NOT NULL
    OR f.unreadable_since_at IS NOT NULL
    OR EXISTS (SELECT 1 FROM jobs j
      WHERE j.kind = 'verify' AND j.key = f.object_key AND j.error IS NOT NULL)
    OR EXISTS (SELECT 1 FROM scan_findings s
      WHERE s.object_key = f.object_key AND s.kind = 'missing') THEN 'disputed'
  WHEN f.status <> 'complete' THEN 'unproved' END`;

/** A file of a VOD. */
export type Copy = {
  readonly seq: number;
  readonly key: string;
  readonly vodId: string | null;
  readonly recordedAtMs: number;
  readonly sizeBytes: number;
  /** Null unless it is in the trash. */
  readonly trashUntilMs: number | null;
  /** Why a retention keeps it; null if nothing protects it. */
  readonly protection: string | null;
  /** Its source no longer has it. */
  readonly isLastCopy: 0 | 1;
};

/** A VOD of a channel's list that has no whole file. */
export type UnstoredVod = {
  readonly vodId: string;
  readonly recordedAtMs: number;
  readonly sizeBytes: number;
  readonly counts: boolean;
  readonly isGrowing: boolean;
};

/** A VOD, or several copies of it. */
type Vod<Unstored> = {
  readonly id: string;
  readonly copies: Copy[];
  unstored: Unstored | null;
  recordedAtMs: number;
  /** Of the largest that counts, or else of the largest. */
  sizeBytes: number;
  counts: boolean;
};

export type RankedVod<Unstored> = Pick<Vod<Unstored>, "unstored" | "id"> & {
  readonly copies: readonly Copy[];
  readonly isBeyond: boolean;
};

/**
 * Ranks the VODs of channels by their retentions: the one place that says which are beyond them, for
 * what goes to the trash (removable-files.ts) and for what a rule does not take (channels/judge.ts).
 *
 * A VOD is beyond its retention if its broadcast is older than the days and does not grow, or if newer
 * ones fill the number or the bytes; the newest never goes for its bytes alone. Only VODs with a file
 * that the retention could remove count, and copies of one VOD are one. What is protected or in the
 * trash already lies beside the count.
 *
 * `retentions` selects `owner_id`, `retention` and more columns, which are returned. `unstored` are
 * further VODs, by their channels. The database only reads the copies: there may be 100,000, which it
 * would group, put in order and sum up in three times the time.
 */
export async function rankByRetention<Unstored extends UnstoredVod>(
  database: Database,
  retentions: Statement,
  nowMs: number,
  unstored: ReadonlyMap<string, readonly Unstored[]>,
): Promise<readonly (readonly [Row, readonly RankedVod<Unstored>[]])[]> {
  const rows = await database.all(sql`
    WITH retained AS MATERIALIZED (SELECT * FROM (${retentions})
        WHERE json_extract(retention, '$.keep') <> 'all'),
      ${parts(sql`SELECT (SELECT count(*) FROM ${DATED_FILES}) AS n FROM retained r`)}
    SELECT r.*,
      (SELECT json_group_array(json_object('seq', f.seq, 'key', f.object_key,
          'vodId', f.vod_id, 'recordedAtMs', f.recorded_at, 'sizeBytes', f.size_bytes,
          'trashUntilMs', f.trash_until, 'protection', ${PROTECTION}, 'isLastCopy',
          EXISTS (SELECT 1 FROM vods v WHERE v.vod_id = f.vod_id AND v.gone_at IS NOT NULL)))
        FROM ${DATED_FILES} AND ${isInPart(sql`f.seq`)}) AS copies
    FROM retained r CROSS JOIN part`);
  const byChannel = Map.groupBy(rows, (row) => row["owner_id"]);
  return [...byChannel.values()].flatMap(([row, ...more]) => {
    if (row === undefined) return [];
    const { owner_id: ownerId, retention } = channelRow.parse(row);
    const copies = [row, ...more].flatMap((each) => copiesRow.parse(each).copies);
    return [[row, rank(copies, unstored.get(ownerId) ?? [], retention, nowMs)] as const];
  });
}

const channelRow = z.object({ owner_id: z.string(), retention: jsonText(retentionSchema) });
const copiesRow = z.object({ copies: rowsAsJson<Copy>() });

function rank<Unstored extends UnstoredVod>(
  copies: readonly Copy[],
  unstored: readonly Unstored[],
  retention: Retention,
  nowMs: number,
): readonly RankedVod<Unstored>[] {
  const vods = new Map<string, Vod<Unstored>>();
  for (const copy of copies) {
    const { key, vodId, recordedAtMs, sizeBytes, trashUntilMs, protection } = copy;
    const counts = trashUntilMs === null && protection === null;
    add(vods, vodId ?? key, { recordedAtMs, sizeBytes, counts }).copies.push(copy);
  }
  for (const vod of unstored) add(vods, vod.vodId, vod).unstored = vod;
  const newer = { vods: 0, bytes: 0 };
  return [...vods.values()].toSorted(newestFirst).map((vod) => {
    const isBeyond = isBeyondRetention(retention, vod, newer, nowMs);
    if (vod.counts) newer.vods += 1;
    if (vod.counts) newer.bytes += vod.sizeBytes;
    return { id: vod.id, copies: vod.copies, unstored: vod.unstored, isBeyond };
  });
}

function isBeyondRetention<Unstored extends UnstoredVod>(
  retention: Retention,
  { recordedAtMs, sizeBytes, unstored }: Vod<Unstored>,
  newer: { readonly vods: number; readonly bytes: number },
  nowMs: number,
): boolean {
  switch (retention.keep) {
    case "days":
      return unstored?.isGrowing !== true && recordedAtMs < nowMs - retention.days * DAY_MS;
    case "count":
      return newer.vods >= retention.count;
    case "bytes":
      return newer.vods > 0 && newer.bytes + sizeBytes > retention.sizeBytes;
    default:
      return false;
  }
}

function add<Unstored>(
  vods: Map<string, Vod<Unstored>>,
  id: string,
  { recordedAtMs, sizeBytes, counts }: Pick<UnstoredVod, "recordedAtMs" | "sizeBytes" | "counts">,
): Vod<Unstored> {
  const vod = vods.get(id);
  if (vod === undefined) {
    const first = { id, copies: [], unstored: null, recordedAtMs, sizeBytes, counts };
    vods.set(id, first);
    return first;
  }
  vod.recordedAtMs = Math.max(vod.recordedAtMs, recordedAtMs);
  if (counts === vod.counts) vod.sizeBytes = Math.max(vod.sizeBytes, sizeBytes);
  else if (counts) vod.sizeBytes = sizeBytes;
  vod.counts ||= counts;
  return vod;
}

/** Of the same time, by their ids. */
function newestFirst<Unstored>(one: Vod<Unstored>, other: Vod<Unstored>): number {
  return other.recordedAtMs - one.recordedAtMs || (one.id < other.id ? 1 : -1);
}
