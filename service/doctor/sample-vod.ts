import * as z from "zod/mini";
import { twitchUserIdSchema, type TwitchVodId } from "#contract/ids.ts";
import type { SourceItem } from "#service/source/source.ts";
import { createHelixRequest } from "#service/twitch/helix-request.ts";
import type { TwitchCheckup } from "./twitch-checkup.ts";

/** Live channels that are listed. */
export const LIVE_CHANNELS = 20;

/** Live channels that are asked for a finished VOD; many keep none. */
const MAX_CHANNELS = 5;

/** Fields that the service reads (service/twitch/helix-shapes.ts). */
const USED_FIELDS = [
  "id",
  "user_id",
  "user_login",
  "user_name",
  "title",
  "created_at",
  "thumbnail_url",
  "type",
  "duration",
];

/**
 * A VOD to try everything on: the given one, or the newest one of a channel that is live now.
 * `firstChannel`, from 0, selects where the search among the live channels begins.
 */
export async function findSample(
  twitch: TwitchCheckup,
  given: TwitchVodId | null,
  firstChannel = 0,
): Promise<SourceItem | null> {
  const { checkup, source, sightings, signal } = twitch;
  const item = await checkup.check("Sample VOD", async (say) => {
    const vodId = given ?? (await findFinished(twitch, firstChannel));
    if (vodId === null) {
      say(
        "problem",
        "Twitch shows no VOD to try. Name one: vodkeep doctor --vod NUMBER.",
        "sample",
      );
      return null;
    }
    const described = await source.describe(vodId, signal);
    const { owner, durationSec } = described;
    const length = durationSec === null ? "of unknown length" : `${durationSec} s`;
    say("ok", `${vodId} of ${owner?.login}, ${length}`);
    return described;
  });
  if (item === null) return null;
  await checkup.check("Helix fields", async (say) => {
    const seen = [...sightings.seen];
    const empty = USED_FIELDS.filter((name) => {
      const kinds = seen.filter((thing) => thing.startsWith(`field ${name} of a Helix video,`));
      return kinds.length === 0 || kinds.some((thing) => thing.endsWith(" null"));
    });
    if (empty.length > 0) say("advice", `Twitch leaves out ${empty.join(", ")}.`);
  });
  return item;
}

async function findFinished(
  { context, appToken, api, signal }: TwitchCheckup,
  firstChannel: number,
): Promise<TwitchVodId | null> {
  const ask = createHelixRequest(context, appToken);
  const streamSchema = z.object({ user_id: twitchUserIdSchema });
  const { items: streams } = await ask(
    "/streams",
    [["first", String(LIVE_CHANNELS)]],
    streamSchema,
    signal,
  );
  const first = streams.length === 0 ? 0 : firstChannel % streams.length;
  const rotated = [...streams.slice(first), ...streams.slice(0, first)];
  for (const { user_id } of rotated.slice(0, MAX_CHANNELS)) {
    const { items: videos } = await api.videosOf(user_id, null, signal);
    // While a broadcast is recorded, its picture is being processed.
    const finished = videos.find(
      ({ type, thumbnail_url }) =>
        type === "archive" && /^https?:(?!.*\/_404\/)/.test(thumbnail_url ?? ""),
    );
    if (finished !== undefined) return finished.id;
  }
  return null;
}
