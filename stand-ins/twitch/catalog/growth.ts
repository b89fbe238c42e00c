import type { Vod } from "./vod.ts";

/**
 * Updates a running broadcast to the time since the VOD was first requested. Segments are added one
 * by one. At the end the VOD is RECORDED and its playlist ended, although the tail is listed only
 * some time later (docs/twitch.md#growing-vods). Later still, some segments become muted
 * (docs/twitch.md#muted-segments). Idempotent: everything follows from `startedAt` and `endedAt`.
 */
export function settleGrowth(vod: Vod, nowMs: number): void {
  const growth = vod.growth;
  if (growth === null) {
    return;
  }
  growth.startedAt ??= nowMs;
  const lastBeforeTail = growth.totalSegments - growth.tailSegments;
  if (vod.status === "RECORDING" && growth.segmentEveryMs !== null) {
    const grown = Math.floor((nowMs - growth.startedAt) / growth.segmentEveryMs);
    vod.segmentCount = Math.max(
      vod.segmentCount,
      Math.min(lastBeforeTail, growth.initialSegments + grown),
    );
    if (vod.segmentCount >= lastBeforeTail) {
      vod.status = "RECORDED";
      growth.endedAt =
        growth.startedAt + (lastBeforeTail - growth.initialSegments) * growth.segmentEveryMs;
    }
  }
  if (growth.endedAt === null) {
    return;
  }
  if (growth.tailSegments > 0 && nowMs >= growth.endedAt + growth.tailLagMs) {
    vod.segmentCount = Math.max(vod.segmentCount, growth.totalSegments);
  }
  if (growth.mutedAfterEnd.length > 0 && nowMs >= growth.endedAt + growth.muteLagMs) {
    muteSegments(vod, growth.mutedAfterEnd);
  }
}

export function endBroadcast(vod: Vod, nowMs: number): void {
  vod.status = "RECORDED";
  if (vod.growth !== null) {
    vod.growth.endedAt ??= nowMs;
  }
}

/** Mutes segments: the playlist gets a new name, and their old names return 403. */
export function muteSegments(vod: Vod, indices: readonly number[]): void {
  const fresh = indices.filter((index) => !vod.muted.has(index));
  if (fresh.length === 0) {
    return;
  }
  for (const index of fresh) {
    vod.muted.add(index);
  }
  vod.muteRound += 1;
}
