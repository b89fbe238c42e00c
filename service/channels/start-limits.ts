import * as z from "zod/mini";
import type { ServiceContext } from "#service/context.ts";
import { uploadCostUsd } from "#service/costs/archive-cost.ts";
import { readBudget } from "#service/costs/budget-store.ts";
import { readMonthCost } from "#service/costs/month-cost.ts";
import { GIGABYTE } from "#service/costs/price-table.ts";
import { sql } from "#service/db/sql.ts";
import type { Platform } from "#service/platform.ts";
import type { Statement } from "#service/ports/database.ts";
import { readObjectsDisk, roomIn } from "#service/space/disk-space.ts";
import { mayCopy } from "#service/storage/consent-pause.ts";
import { isEndangered } from "#service/storage/lease.ts";

/** What starts by rules may still take: of the disk, or of the budget. */
type Room = { readonly of: string; bytes: number };

/** Of an upload without a plan: 6 Mb/s, as source-preview.ts takes it. */
const USUAL_BYTES_PER_SEC = 750_000;

/**
 * The rooms that limit starts by rules, less what open uploads have yet to store. A rule takes no
 * more than fits, so that a channel's backlog leaves room for what people start.
 */
export async function readRooms(context: ServiceContext): Promise<readonly Room[]> {
  const { platform } = context;
  const [[row], disk, budget] = await Promise.all([
    platform.database
      .all(sql`SELECT (SELECT coalesce(sum(max(0, coalesce(source_bytes, duration_sec * ${USUAL_BYTES_PER_SEC}, 0)
        - stored_bytes)), 0) FROM uploads WHERE status IN ('pending', 'processing')) AS outstanding`),
    readObjectsDisk(context),
    readBudget(context),
  ]);
  const rooms: Room[] = [];
  if (disk !== null) rooms.push({ of: "The disk", bytes: roomIn(disk) });
  if (budget.pauseWhenSpent) {
    const leftUsd = budget.monthlyUsd - (await readMonthCost(context)).totalUsd;
    const usdPerByte = uploadCostUsd(GIGABYTE, null) / GIGABYTE;
    rooms.push({ of: "This month's budget", bytes: leftUsd / usdPerByte });
  }
  const outstanding = Number(row?.["outstanding"] ?? 0);
  return rooms.map(({ of, bytes }) => ({ of, bytes: bytes - outstanding }));
}

/** An upload that has waited for this many attempts, some minutes, keeps no place from others. */
const ATTEMPTS_WITH_PLACE = 6;
/** So many wait for the source at most, as multiples of the archives that run at the same time. */
const MOST_OPEN = 10;

/** How many VODs may be handed over: any, or such as may be deleted before others that wait. */
export function freePlaces({ clock, runtime }: Platform, forEndangered: boolean): Statement {
  const isRunning = sql`(status = 'processing' AND phase <> 'waiting')`;
  const goesBefore = forEndangered ? isEndangered(clock.now()) : sql`TRUE`;
  const places = runtime.archivePlaces;
  return sql`(SELECT min(${MOST_OPEN * places} - count(*), ${2 * places}
      - total(${isRunning} OR (attempts <= ${ATTEMPTS_WITH_PLACE} AND ${goesBefore})))
    FROM uploads WHERE by_rule AND status IN ('pending', 'processing') AND NOT is_live
      AND ${mayCopy})`;
}

const placesRow = z.object({ free: z.number(), freeForEndangered: z.number() });

export async function readPlaces(platform: Platform): Promise<z.infer<typeof placesRow>> {
  const [row] = await platform.database.all(sql`SELECT ${freePlaces(platform, false)} AS free,
    ${freePlaces(platform, true)} AS freeForEndangered`);
  return placesRow.parse(row);
}

export async function hasFreePlace(platform: Platform): Promise<boolean> {
  const { free, freeForEndangered } = await readPlaces(platform);
  return Math.max(free, freeForEndangered) > 0;
}
