import { jsonAnswer, type Answer } from "../http/answer.ts";
import { isLiveFor } from "../catalog/vod.ts";
import type { World } from "../world.ts";

/** GET /streams, all or by user: a channel is live while a VOD of it is being recorded; others are omitted. */
export function listStreams(world: World, query: URLSearchParams): Answer {
  const userIds = query.getAll("user_id");
  const live = world.vods.all().flatMap((vod) => {
    const isLive =
      isLiveFor(vod, "helix") && (userIds.length === 0 || userIds.includes(vod.ownerId));
    return isLive && vod.streamId !== null ? [{ id: vod.streamId, user_id: vod.ownerId }] : [];
  });
  return jsonAnswer(200, { data: live, pagination: {} });
}
