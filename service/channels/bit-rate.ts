import * as z from "zod/mini";
import type { Quality } from "#contract/quality.ts";
import { archiveCost } from "#service/costs/archive-cost.ts";
import { sql } from "#service/db/sql.ts";
import type { Database } from "#service/ports/database.ts";

/** Bit rates of usual renditions; "best" is mostly 1080p60 (docs/twitch.md). */
const USUAL_BITS_PER_SEC: Readonly<Record<Quality, number>> = {
  best: 6_000_000,
  "1080p": 6_000_000,
  "720p": 3_400_000,
  "480p": 1_500_000,
  audio: 170_000,
};

const rateRow = z.object({ user_id: z.string(), bytesPerSec: z.nullable(z.number()) });

/** Estimates a VOD's size from its length. */
export type SizeEstimate = (
  channelId: string,
  quality: Quality,
  durationSec: number | null,
) => number;

/**
 * By the usual rate of the channel's stored files; of the rendition if there are none, or if that is
 * lower. `channelId`: null for all channels.
 */
export async function readSizeEstimate(
  database: Database,
  channelId: string | null,
): Promise<SizeEstimate> {
  const rows = await database.all(sql`
    SELECT f.user_id, sum(f.size_bytes) / sum(json_extract(f.metadata, '$.durationSec')) AS bytesPerSec
    FROM files f WHERE f.upload_type = 'twitch' AND f.status = 'complete'
      AND f.user_id IN (${channelId === null ? sql`SELECT owner_id FROM channels` : sql`${channelId}`})
    GROUP BY f.user_id`);
  const rates = new Map(
    rows.map((row) => {
      const { user_id: id, bytesPerSec } = rateRow.parse(row);
      return [id, bytesPerSec] as const;
    }),
  );
  return (id, quality, durationSec) => {
    const usual = USUAL_BITS_PER_SEC[quality] / 8;
    const own = rates.get(id) ?? usual;
    return Math.round((quality === "best" ? own : Math.min(own, usual)) * (durationSec ?? 0));
  };
}

export type Amount = {
  vods: number;
  durationSec: number;
  sizeBytes: number;
  usdPerMonth: number;
  copyUsd: number;
};

/** The sum of VODs of these lengths and estimated sizes. */
export function amountOf(
  vods: Iterable<{ readonly durationSec: number | null; readonly sizeBytes: number }>,
): Amount {
  const amount: Amount = { vods: 0, durationSec: 0, sizeBytes: 0, usdPerMonth: 0, copyUsd: 0 };
  for (const { durationSec, sizeBytes } of vods) {
    const { copyUsd, storageUsdPerMonth } = archiveCost(sizeBytes, null);
    amount.vods += 1;
    amount.durationSec += durationSec ?? 0;
    amount.sizeBytes += sizeBytes;
    amount.usdPerMonth += storageUsdPerMonth;
    amount.copyUsd += copyUsd;
  }
  return amount;
}
