import { twitchVodIdSchema } from "#contract/ids.ts";
import { QUALITIES, type Quality } from "#contract/quality.ts";
import type { BodyOf } from "#contract/call.ts";
import type {
  previewSource as previewSourceCall,
  QualityOption,
  SourcePreview,
} from "#contract/source-preview.ts";
import type { ServiceContext } from "#service/context.ts";
import { findConsent } from "#service/storage/consent.ts";
import { findConfirmation } from "#service/storage/rights-confirmation.ts";
import { readObjectsDisk, roomIn } from "#service/space/disk-space.ts";
import { archiveCost } from "#service/costs/archive-cost.ts";
import { SourceError } from "#service/source/source-error.ts";
import type { Playback, Rendition } from "#service/source/source.ts";
import {
  betterWithheld,
  chooseRendition,
  renditionLabel,
} from "#service/source/rendition-choice.ts";
import { itemIdOf } from "#service/storage/item-id.ts";
import { newestUploadOfVod } from "#service/storage/upload-row.ts";
import type { SourceLookup } from "./source-lookup.ts";

/** Bit rate of a usual 1080p60 stream, used if the rendition's rate is unknown. */
const USUAL_BITS_PER_SEC = 6_000_000;

/**
 * What archiving an item would copy and cost.
 * @throws {ApiError} invalid_request, not_found or upstream_error
 */
export async function previewSource(
  context: ServiceContext,
  lookup: SourceLookup,
  { source, part }: BodyOf<typeof previewSourceCall>,
  administratorId: string,
): Promise<SourcePreview> {
  const { platform } = context;
  const requested = await lookup.identify(source);
  const found = lookup.find(requested);
  const [{ item, owner }, channelCategory, opened, existingUpload, disk] = await Promise.all([
    found,
    found.then(({ owner: each }) =>
      each === null ? null : lookup.channelCategory(requested, each.id),
    ),
    lookup.playback(requested),
    newestUploadOfVod(platform.database, itemIdOf(requested.itemId, part)),
    readObjectsDisk(context),
  ]);
  const [ownerConsent, ownConfirmation] =
    owner === null
      ? [null, null]
      : await Promise.all([
          findConsent(platform.database, owner.id),
          findConfirmation(platform.database, owner.id, administratorId),
        ]);
  const isRestricted = opened instanceof SourceError;
  const playback = isRestricted ? null : opened;
  const best = playback === null ? null : chooseRendition(playback, "best");
  return {
    vodId: requested.kind === "twitch" ? twitchVodIdSchema.parse(requested.itemId) : null,
    title: item.title,
    owner:
      owner === null
        ? null
        : {
            twitchId: owner.id,
            login: owner.login,
            displayName: owner.displayName,
            profileImageUrl: owner.profileImageUrl,
          },
    ...(requested.kind === "url" ? { sourceHost: new URL(requested.reference).host } : {}),
    durationSec: item.durationSec,
    createdAt: item.createdAt.toISOString(),
    thumbnailUrl: item.thumbnailUrl,
    isRecording: item.isRecording,
    ...(isRestricted ? { restriction: opened.message } : {}),
    ...estimate(best, item.durationSec),
    qualities: playback === null ? [] : qualityOptions(playback, item.durationSec),
    withheldRendition:
      playback === null || best === null ? null : betterWithheld(playback, best, "best"),
    ownerConsent,
    ownConfirmation,
    channelCategory,
    roomBytes: disk === null ? null : Math.max(0, roomIn(disk)),
    existingUpload,
  };
}

/** Leaves out a choice that copies the same as one before it, or nothing. */
function qualityOptions(playback: Playback, durationSec: number | null): QualityOption[] {
  const options = new Map<string, QualityOption>();
  for (const quality of QUALITIES) {
    const rendition = offered(playback, quality);
    if (rendition === null || options.has(rendition.name)) continue;
    options.set(rendition.name, {
      quality,
      rendition: renditionLabel(rendition),
      ...estimate(rendition, durationSec),
    });
  }
  return [...options.values()];
}

function offered(playback: Playback, quality: Quality): Rendition | null {
  try {
    return chooseRendition(playback, quality);
  } catch (error) {
    if (error instanceof SourceError) return null;
    throw error;
  }
}

function estimate(rendition: Rendition | null, durationSec: number | null) {
  const estimatedSizeBytes = estimateBytes(rendition, durationSec);
  const { copyUsd, storageUsdPerMonth } = archiveCost(estimatedSizeBytes, null);
  return {
    estimatedSizeBytes,
    estimatedCostUsd: copyUsd,
    estimatedMonthlyStorageUsd: storageUsdPerMonth,
  };
}

function estimateBytes(rendition: Rendition | null, durationSec: number | null): number {
  const bitsPerSec = rendition?.bandwidthBitsPerSec ?? USUAL_BITS_PER_SEC;
  return rendition?.sizeBytes ?? Math.round(((durationSec ?? 0) * bitsPerSec) / 8);
}
