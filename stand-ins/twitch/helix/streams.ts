import { jsonAnswer, type Answer } from "../http/answer.ts";
import type { World } from "../world.ts";
import { helixError } from "./helix-error.ts";
import { cutPage, readFirst } from "./page-cursor.ts";

/** GET /streams: a channel is live while a VOD of it is being recorded; others are omitted. */
export function listStreams(world: World, query: URLSearchParams): Answer {
  const first = readFirst(query);
  if (first === null) {
    return helixError(
      400,
      'The parameter "first" was malformed: the value must be between 1 and 100',
    );
  }
  const userIds = query.getAll("user_id");
  const logins = query.getAll("user_login");
  const live = world.vods.all().flatMap((vod) => {
    const owner = world.accounts.get(vod.ownerId);
    const isWanted =
      (userIds.length === 0 && logins.length === 0) ||
      userIds.includes(vod.ownerId) ||
      (owner !== null && logins.includes(owner.login));
    if (vod.status !== "RECORDING" || vod.streamId === null || owner === null || !isWanted) {
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
        // Single braces without a percent sign, unlike videos (docs/twitch.md#helix).
        thumbnail_url: `${world.baseUrl()}/static/thumbnails/${vod.id}-{width}x{height}.svg`,
        tag_ids: [],
        is_mature: false,
      },
    ];
  });
  const page = cutPage(live, first, query.get("after"), query.get("before"));
  if (page === null) {
    return helixError(400, 'The parameter "after" was malformed: invalid cursor');
  }
  return jsonAnswer(200, {
    data: page.items,
    pagination: page.cursor === null ? {} : { cursor: page.cursor },
  });
}
