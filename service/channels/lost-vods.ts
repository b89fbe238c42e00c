import * as z from "zod/mini";
import { recordedChange } from "#service/changes/recorded-change.ts";
import type { ServiceContext } from "#service/context.ts";
import { sql } from "#service/db/sql.ts";
import type { Statement } from "#service/ports/database.ts";
import { IS_CHANGED } from "#service/storage/upload-vod.ts";
import { WAITS_FOR_TURN } from "./start.ts";

/**
 * What is told of wanted VODs: that the source may soon delete one which still waits, and that it
 * has deleted one. Both are told once.
 */

/** Bounds the writes of a round. */
const EVENTS_AT_ONCE = 50;

const DAY_MS = 86_400_000;

/** What was found gone earlier and is found lost only now was lost by a file's deletion. */
const LOST_WITHIN_MS = 7 * DAY_MS;

/** A VOD that was just found may be copied before anybody could do anything. */
const FOUND_BEFORE_MS = 3_600_000;

/**
 * Wanted VODs `v` that are not stored, with their newest upload `u`. One whose upload was cancelled, or
 * whose file was deleted, is not wanted any more.
 */
const UNSTORED = sql`vods v JOIN users o ON o.id = v.owner_id
  LEFT JOIN uploads u ON u.seq = (SELECT max(seq) FROM uploads WHERE vod_id = v.vod_id)
  WHERE v.decision = 'take' AND NOT v.is_stored
    AND (u.id IS NULL OR u.status NOT IN ('cancelled', 'completed'))`;

const vodRow = z.object({
  seq: z.number(),
  vod_id: z.string(),
  owner_id: z.string(),
  title: z.string(),
  kind: z.string(),
  channel: z.string(),
  recorded_at: z.number(),
  danger_at: z.nullable(z.number()),
  reason: z.nullable(z.string()),
});
type VodRow = z.infer<typeof vodRow>;

const COLUMNS = sql`v.seq, v.vod_id, v.owner_id, v.title, v.kind, o.display_name AS channel, v.recorded_at,
  v.danger_at, coalesce(u.error_message, nullif(v.waits_for, ${WAITS_FOR_TURN})) AS reason`;

/**
 * Records as lost what is gone at the source (`vods.gone_at`) before it was stored, with its event.
 * An upload that still runs may store it, so that one is decided when the run has ended. Safe to
 * repeat, and at any time.
 */
export async function recordLost(context: Pick<ServiceContext, "platform">): Promise<void> {
  const nowMs = context.platform.clock.now();
  const lost = await readVods(
    context,
    sql`SELECT ${COLUMNS} FROM ${UNSTORED} AND ${IS_CHANGED} AND v.gone_at > ${nowMs - LOST_WITHIN_MS}
      AND v.is_stored = 0 AND v.lost_at IS NULL AND (u.id IS NULL OR u.status <> 'processing')
      ORDER BY v.gone_at, v.seq LIMIT ${EVENTS_AT_ONCE}`,
  );
  await tell(context, lost, (vod) => ({
    change: sql`UPDATE vods SET lost_at = ${nowMs}
      WHERE seq = ${vod.seq} AND lost_at IS NULL AND NOT is_stored`,
    type: "vod_lost",
    title: `Lost: ${vod.title}`,
    body: `${vod.channel}'s VOD of ${day(vod.recorded_at)} was deleted at the source before it was stored. ${vod.reason ?? "It waited for its turn."}`,
  }));
}

const FULL = "Above 100 hours of highlights and uploads, Twitch may delete any of them. ";

/** Announces each wanted VOD that still waits a day before the source may delete it, once. */
export async function announceDanger(context: Pick<ServiceContext, "platform">): Promise<void> {
  const nowMs = context.platform.clock.now();
  const endangered = await readVods(
    context,
    sql`SELECT ${COLUMNS} FROM ${UNSTORED} AND v.gone_at IS NULL AND v.announced_at IS NULL
      AND v.danger_at < ${nowMs + DAY_MS} AND v.first_seen_at <= ${nowMs - FOUND_BEFORE_MS}
      AND (u.id IS NULL OR u.status <> 'processing' OR u.phase = 'waiting')
      ORDER BY v.danger_at, v.seq LIMIT ${EVENTS_AT_ONCE}`,
  );
  await tell(context, endangered, (vod) => ({
    change: sql`UPDATE vods SET announced_at = ${nowMs}
      WHERE seq = ${vod.seq} AND announced_at IS NULL`,
    type: "vod_in_danger",
    title: `In danger: ${vod.title}`,
    body: `${vod.channel}'s VOD of ${day(vod.recorded_at)} may be deleted at the source from ${day(vod.danger_at ?? nowMs)}. ${vod.kind === "archive" ? "" : FULL}${vod.reason ?? "It waits for its turn."}`,
  }));
}

async function readVods(
  { platform }: Pick<ServiceContext, "platform">,
  query: Statement,
): Promise<readonly VodRow[]> {
  return (await platform.database.all(query)).map((row) => vodRow.parse(row));
}

type Told = {
  readonly change: Statement;
  readonly type: "vod_in_danger" | "vod_lost";
  readonly title: string;
  readonly body: string;
};

async function tell(
  { platform }: Pick<ServiceContext, "platform">,
  vods: readonly VodRow[],
  describe: (vod: VodRow) => Told,
): Promise<void> {
  if (vods.length === 0) return;
  const statements = vods.flatMap((vod) => {
    const { change, ...event } = describe(vod);
    return recordedChange(change, platform.clock.now(), {
      event: { ...event, subject: vod.vod_id, link: `/channels/${vod.owner_id}` },
    });
  });
  await platform.database.batch(statements);
}

const DAY = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "long",
  year: "numeric",
  timeZone: "UTC",
});

function day(atMs: number): string {
  return DAY.format(atMs);
}
