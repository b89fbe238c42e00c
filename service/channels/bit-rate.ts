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
export type SizeEstimate = {
  sizeOf(channelId: string, quality: Quality, durationSec: number | null): number;
  /** Nothing of the channel is stored, so that its rate is a guess. */
  isRough(channelId: string): boolean;
};

/**
 * By the usual rate of the channel's stored files; of the rendition if there are none, or if that is
 * lower. `channelId`: null for all channels.
 */
export async function readSizeEstimate(
  database: Database,
  channelId: string | null,
): Promise<SizeEstimate> {
  const rows = await database.all(sql`
    SELECT user_id, bytes * 1000.0 / nullif(duration_ms, 0) AS bytesPerSec FROM file_counts
    WHERE upload_type = 'twitch' AND status = 'complete'
      AND user_id IN (${channelId === null ? sql`SELECT owner_id FROM channels` : sql`${channelId}`})`);
  const rates = new Map(
    rows.map((row) => {
      const { user_id: id, bytesPerSec } = rateRow.parse(row);
      return [id, bytesPerSec] as const;
    }),
  );
  return {
    sizeOf(id, quality, durationSec) {
      const usual = USUAL_BITS_PER_SEC[quality] / 8;
      const own = rates.get(id) ?? usual;
      return Math.round((quality === "best" ? own : Math.min(own, usual)) * (durationSec ?? 0));
    },
    isRough: (id) => (rates.get(id) ?? null) === null,
  };
}

export type Amount = {
  vods: number;
  durationSec: number;
  sizeBytes: number;
  isRough: boolean;
  usdPerMonth: number;
  copyUsd: number;
};

/** The sum of VODs of these channels, lengths and estimated sizes. */
export function amountOf(
  vods: Iterable<{
    readonly channelId: string;
    readonly durationSec: number | null;
    readonly sizeBytes: number;
  }>,
  { isRough }: Pick<SizeEstimate, "isRough">,
): Amount {
  const amount: Amount = {
    vods: 0,
    durationSec: 0,
    sizeBytes: 0,
    isRough: false,
    usdPerMonth: 0,
    copyUsd: 0,
  };
  for (const { channelId, durationSec, sizeBytes } of vods) {
    const { copyUsd, storageUsdPerMonth } = archiveCost(sizeBytes, null);
    amount.vods += 1;
    amount.durationSec += durationSec ?? 0;
    amount.sizeBytes += sizeBytes;
    amount.isRough ||= isRough(channelId);
    amount.usdPerMonth += storageUsdPerMonth;
    amount.copyUsd += copyUsd;
  }
  return amount;
}
