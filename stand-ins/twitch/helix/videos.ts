import { jsonAnswer, type Answer } from "../http/answer.ts";
import { mediaFolder } from "../catalog/vod-table.ts";
import { statedDurationSec, type Vod } from "../catalog/vod.ts";
import type { World } from "../world.ts";
import { helixError } from "./helix-error.ts";

const MAX_IDS = 100;

/** GET /videos by id or by user, newest first; the stand-in has no lists by game. */
export function listVideos(world: World, query: URLSearchParams): Answer {
  const ids = [...new Set(query.getAll("id"))];
  const userId = query.get("user_id");
  if (userId !== null && ids.length === 0) {
    const listed = world.vods
      .all()
      .filter((vod) => vod.ownerId === userId && vod.type === (query.get("type") ?? vod.type))
      .toSorted((left, right) => right.createdAt - left.createdAt)
      .slice(0, Number(query.get("first") ?? 20));
    return jsonAnswer(200, {
      data: listed.map((vod) => describeVideo(world, vod)),
      pagination: {},
    });
  }
  if (ids.length === 0 || query.has("user_id") || query.has("game_id")) {
    return helixError(
      400,
      "Must provide only one of the following query params: id, user_id, game_id",
    );
  }
  if (ids.length > MAX_IDS) return helixError(400, 'The parameter "id" may not exceed 100 values');
  if (ids.some((id) => !/^\d+$/.test(id))) {
    return helixError(
      400,
      'The parameter "id" was malformed: the value must match the regular expression /^[0-9]+$/',
    );
  }
  const found = ids.map((id) => world.vods.seenBy("helix", id)).filter((vod) => vod !== null);
  if (found.length === 0)
    return helixError(404, `No videos were found for the ids: ${ids.join(", ")}`);
  return jsonAnswer(200, { data: found.map((vod) => describeVideo(world, vod)), pagination: {} });
}

function describeVideo(world: World, vod: Vod): Record<string, unknown> {
  const owner = world.accounts.get(vod.ownerId);
  return {
    id: vod.id,
    stream_id: vod.streamId,
    user_id: vod.ownerId,
    user_login: owner?.login ?? "",
    user_name: owner?.displayName ?? "",
    title: vod.title,
    created_at: new Date(vod.createdAt).toISOString().replace(/\.\d+Z$/, "Z"),
    thumbnail_url: thumbnailTemplate(world, vod),
    type: vod.type,
    duration: goDuration(statedDurationSec(vod, "helix")),
  };
}

/** While a VOD is being recorded, its picture is the "processing" one (docs/twitch.md#helix). */
export function thumbnailTemplate(world: World, vod: Vod): string {
  return vod.status === "RECORDING"
    ? `${world.addresses().pictures}/_404/404_processing_%{width}x%{height}.png`
    : `${world.addresses().pictures}/cf_vods/d1m7jfoe9zdc1j/${mediaFolder(vod)}//thumb/thumb0-%{width}x%{height}.jpg`;
}

/** `3m21s`, `1h19m9s`, `50s`. */
function goDuration(totalSec: number): string {
  const seconds = Math.floor(totalSec);
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60];
  const [hours = 0, minutes = 0, rest = 0] = parts;
  if (hours > 0) return `${hours}h${minutes}m${rest}s`;
  return minutes > 0 ? `${minutes}m${rest}s` : `${rest}s`;
}
