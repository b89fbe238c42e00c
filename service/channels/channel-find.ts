import type { BodyOf, DataOf } from "#contract/call.ts";
import type { findChannels as findCall } from "#contract/channel-lookup.ts";
import { ApiError } from "#service/api-error.ts";
import type { ServiceContext } from "#service/context.ts";
import { archiveCost } from "#service/costs/archive-cost.ts";
import { sql } from "#service/db/sql.ts";
import { HAS_BASIS } from "#service/storage/rule-permission.ts";
import { SourceError } from "#service/source/source-error.ts";
import type { HelixVideo } from "#service/twitch/helix-shapes.ts";
import { describeVideo } from "#service/twitch/describe-video.ts";
import type { TwitchApi, TwitchUser } from "#service/twitch/twitch-api.ts";
import { readSizeEstimate } from "./bit-rate.ts";
import { readDefaults } from "./channel-defaults.ts";
import { readChannelName } from "./channel-names.ts";

type Found = DataOf<typeof findCall>["channels"][number];

/** Shorter than the console's timeout of 10 s (docs/console.md#session). */
const PATIENCE_MS = 7_000;

/** Of each list: more VODs than most channels have. */
const MAX_PAGES = 5;

/**
 * What channels have that could be archived, before they are added: a request for their names and some
 * for each list. Names that Twitch does not know are left out.
 * @throws {ApiError} upstream_error
 */
export async function findChannels(
  context: ServiceContext,
  twitch: TwitchApi,
  { names }: BodyOf<typeof findCall>,
  userId: string,
): Promise<DataOf<typeof findCall>> {
  const patience = AbortSignal.timeout(PATIENCE_MS);
  const named = names.map(readChannelName).flatMap((name) => ("error" in name ? [] : [name]));
  try {
    const users = await twitch.usersNamed(named, patience);
    const channels = users.map((user) => findChannel(context, twitch, user, userId, patience));
    return { channels: await Promise.all(channels) };
  } catch (error) {
    if (!(error instanceof SourceError || patience.aborted)) throw error;
    const sentence =
      error instanceof SourceError ? error.message : "Twitch did not respond in time.";
    throw new ApiError("upstream_error", sentence, { cause: error });
  }
}

async function findChannel(
  { platform: { database } }: ServiceContext,
  twitch: TwitchApi,
  { id, displayName }: TwitchUser,
  userId: string,
  patience: AbortSignal,
): Promise<Found> {
  const [{ videos, hasMore }, { rule }, estimate, [basis]] = await Promise.all([
    readVideos(twitch, id, patience),
    readDefaults(database),
    readSizeEstimate(database, id),
    database.all(sql`SELECT ${HAS_BASIS} AS hasBasis FROM (SELECT ${id} AS owner_id,
      ${userId} AS author_id) c`),
  ]);
  return {
    id,
    displayName,
    hasBasis: basis?.["hasBasis"] === 1,
    vods: videos
      .filter(({ type }) => rule.kinds.some((kind) => kind === type))
      .map((video) => {
        const { createdAt, durationSec } = describeVideo(video, false);
        const recordedAt = createdAt.toISOString();
        const sizeBytes = estimate.sizeOf(id, rule.quality, durationSec);
        const { storageUsdPerMonth: usdPerMonth } = archiveCost(sizeBytes, null);
        return { recordedAt, sizeBytes, usdPerMonth };
      }),
    hasMore,
    isRough: estimate.isRough(id),
  };
}

/** The newest, each once: pages may overlap. */
async function readVideos(twitch: TwitchApi, id: TwitchUser["id"], patience: AbortSignal) {
  const videos = new Map<string, HelixVideo>();
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const read = await twitch.videosOf(id, cursor, patience);
    for (const video of read.items) videos.set(video.id, video);
    ({ cursor } = read);
    if (cursor === null) break;
  }
  return { videos: [...videos.values()], hasMore: cursor !== null };
}
