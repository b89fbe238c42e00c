import { jsonAnswer, type Answer } from "../http/answer.ts";
import type { World } from "../world.ts";
import { helixError } from "./helix-error.ts";
import { cursorTo, readPlace } from "./paging.ts";

const MAX_USERS = 100;

/** GET /streams, all or by user; channels that are not live are omitted. */
export function listStreams(world: World, query: URLSearchParams): Answer {
  const userIds = [...new Set(query.getAll("user_id"))];
  if (userIds.length > MAX_USERS)
    return helixError(400, 'The parameter "user_id" may not exceed 100 values');
  const place = readPlace(query);
  if (typeof place === "string") return helixError(400, place);
  const { from, page, first } = place;
  const asked = userIds.length === 0 ? world.accounts.all().map(({ id }) => id) : userIds;
  const live = asked.flatMap((userId) => {
    const stream = world.broadcasts.live(userId);
    const isMissed = stream !== null && world.listFaults.take(userId, "notLive") !== null;
    return stream === null || isMissed ? [] : [stream];
  });
  const data = live.slice(from, from + first).map((stream) => {
    const account = world.accounts.get(stream.accountId);
    return {
      id: stream.id,
      user_id: stream.accountId,
      user_login: account?.login ?? "",
      user_name: account?.displayName ?? "",
      type: "live",
      title: stream.title,
      started_at: new Date(stream.startedAt).toISOString().replace(/\.\d+Z$/, "Z"),
    };
  });
  const hasMore = from + first < live.length;
  const pagination = hasMore ? cursorTo({ from: from + first, page: page + 1 }) : {};
  return jsonAnswer(200, { data, pagination });
}
