import type { ServiceContext } from "#service/context.ts";
import { uploadCostUsd } from "#service/costs/archive-cost.ts";
import { readBudget } from "#service/costs/budget-store.ts";
import { readMonthCost } from "#service/costs/month-cost.ts";
import { GIGABYTE } from "#service/costs/price-table.ts";
import { sql } from "#service/db/sql.ts";
import { readObjectsDisk, roomIn } from "#service/space/disk-space.ts";

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
