import { jsonAnswer, type Answer } from "../http/answer.ts";
import type { World } from "../world.ts";

/** GET /streams by user: a channel is live while a VOD of it is being recorded; others are omitted. */
export function listStreams(world: World, query: URLSearchParams): Answer {
  const userIds = query.getAll("user_id");
  const live = world.vods.all().flatMap((vod) => {
    const owner = world.accounts.get(vod.ownerId);
    const isLive = vod.status === "RECORDING" && userIds.includes(vod.ownerId);
    if (!isLive || vod.streamId === null || owner === null) {
      return [];
    }
    return [
      {
        id: vod.streamId,
        user_id: owner.id,
        user_login: owner.login,
        user_name: owner.displayName,
        game_id: vod.games[0]?.id ?? "",
        game_name: vod.games[0]?.name ?? "",
        type: "live",
        title: vod.title,
        tags: null,
        viewer_count: 42,
        started_at: new Date(vod.createdAt).toISOString().replace(/\.\d+Z$/, "Z"),
        language: vod.language,
        thumbnail_url: "",
        tag_ids: [],
        is_mature: false,
      },
    ];
  });
  return jsonAnswer(200, { data: live, pagination: {} });
}
