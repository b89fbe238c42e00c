import type { TwitchSource, SourcePreview } from "#contract/uploads.ts";
import type { ServiceContext } from "#service/context.ts";
import { archiveCost } from "#service/costs/archive-cost.ts";
import { sql } from "#service/db/sql.ts";
import { parseVodReference } from "#service/twitch/parse-vod-reference.ts";
import type { SourceLookup } from "./source-lookup.ts";
import { newestUploadOfVod } from "./upload-store.ts";

/** Bit rate of a usual 1080p60 stream, used if the rendition's rate is unknown. */
const USUAL_BITS_PER_SEC = 6_000_000;

/** What archiving a VOD would copy and cost. @throws {Failure} not_found or upstream_error */
export async function previewSource(
  { platform }: ServiceContext,
  lookup: SourceLookup,
  source: TwitchSource,
): Promise<SourcePreview> {
  const vodId = parseVodReference(source);
  const found = lookup.find(vodId);
  const [{ video, owner }, channelCategory, bitsPerSec, existingUpload] = await Promise.all([
    found,
    found.then(({ owner: { id } }) => lookup.channelCategory(id)),
    lookup.sourceBitrate(vodId),
    newestUploadOfVod(platform.database, vodId),
  ]);
  const estimatedSizeBytes = Math.round(
    (video.durationSec * (bitsPerSec ?? USUAL_BITS_PER_SEC)) / 8,
  );
  const cost = archiveCost(estimatedSizeBytes, null);
  const consenting = await platform.database.all(sql`
    SELECT 1 FROM users
    WHERE id = ${owner.id} AND consented_at IS NOT NULL AND banned_at IS NULL`);
  return {
    vodId,
    title: video.title,
    owner: {
      twitchId: owner.id,
      login: owner.login,
      displayName: owner.displayName,
      profileImageUrl: owner.profileImageUrl,
    },
    durationSec: video.durationSec,
    createdAt: video.createdAt.toISOString(),
    thumbnailUrl: video.thumbnailUrl,
    isRecording: video.isRecording,
    estimatedSizeBytes,
    estimatedCostUsd: cost.copyUsd,
    estimatedMonthlyStorageUsd: cost.storageUsdPerMonth,
    ownerHasConsented: consenting.length > 0,
    channelCategory,
    existingUpload,
  };
}
