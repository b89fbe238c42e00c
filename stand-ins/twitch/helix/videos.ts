import { jsonAnswer, type Answer } from "../http/answer.ts";
import { mediaFolder } from "../catalog/vod-table.ts";
import { statedDurationSec, type Vod } from "../catalog/vod.ts";
import type { World } from "../world.ts";
import { helixError } from "./helix-error.ts";
import { cursorTo, readPlace } from "./paging.ts";

const MAX_IDS = 100;

/** GET /videos by id or by user, newest first; the stand-in has no lists by game. */
export function listVideos(world: World, query: URLSearchParams): Answer {
  const ids = [...new Set(query.getAll("id"))];
  const userId = query.get("user_id");
  if (userId !== null && ids.length === 0) return listByUser(world, userId, query);
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

/** A page of the list, with what is wrong with the account's lists. */
function listByUser(world: World, userId: string, query: URLSearchParams): Answer {
  const place = readPlace(query);
  if (typeof place === "string") return helixError(400, place);
  const { from, page, first } = place;
  const faults = world.listFaults;
  const failure = faults.take(userId, "pageFails");
  if (failure?.page === page) return helixError(failure.status, "asked for by a fault");
  const emptyPages = faults.take(userId, "emptyPages")?.pages ?? 0;
  if (page <= emptyPages)
    return jsonAnswer(200, { data: [], pagination: cursorTo({ from, page: page + 1 }) });

  const type = query.get("type") ?? "all";
  const strangersId = faults.take(userId, "strangers")?.accountId;
  const all = [
    ...faults.vods(userId),
    ...(strangersId === undefined ? [] : faults.vods(strangersId)),
  ]
    .filter((vod) => type === "all" || vod.type === type)
    .filter((vod) => vod.claims.helix.isMissing !== true)
    .toSorted((left, right) => right.createdAt - left.createdAt);
  if (faults.take(userId, "reverse") !== null) all.reverse();
  const start = from > 0 && faults.take(userId, "repeat") !== null ? from - 1 : from;
  const data = all
    .slice(start, from + first)
    .filter((vod) => !faults.skips(userId, vod.id))
    .map((vod) => describeVideo(world, vod));
  const next = { from: from + first, page: page + 1 };
  const isEndless = faults.take(userId, "endless") !== null;
  const pagination =
    next.from < all.length ? cursorTo(next) : isEndless ? cursorTo({ ...next, from }) : {};
  return jsonAnswer(200, { data, pagination });
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
    url: `https://www.twitch.tv/videos/${vod.id}`,
    viewable: "public",
    type: vod.type,
    muted_segments: mutedRanges(vod),
    duration: goDuration(statedDurationSec(vod, "helix")),
  };
}

/** Offsets and lengths in seconds, neighbours as one; null if nothing is muted. */
function mutedRanges(vod: Vod): readonly { offset: number; duration: number }[] | null {
  const ranges: { offset: number; duration: number }[] = [];
  const lengthSec = vod.segmentDurationSec;
  for (const index of [...vod.muted].toSorted((left, right) => left - right)) {
    const last = ranges.at(-1);
    if (last !== undefined && last.offset + last.duration === index * lengthSec)
      last.duration += lengthSec;
    else ranges.push({ offset: index * lengthSec, duration: lengthSec });
  }
  return ranges.length === 0 ? null : ranges;
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
