import { jsonAnswer, type Answer } from "../http/answer.ts";
import type { World } from "../world.ts";
import { helixError } from "./helix-error.ts";

/** GET /channels by broadcaster_id; unknown ones are omitted. Of the answer, only what is used. */
export function listChannels(world: World, query: URLSearchParams): Answer {
  const ids = [...new Set(query.getAll("broadcaster_id"))];
  if (ids.length === 0) return helixError(400, 'Missing required parameter "broadcaster_id"');
  if (ids.length > 100)
    return helixError(400, 'The parameter "broadcaster_id" may not exceed 100 values');
  const accounts = ids.map((id) => world.accounts.get(id)).filter((account) => account !== null);
  const data = accounts.map((account) => {
    const latest = world.vods
      .byOwner(account.id)
      .toSorted((left, right) => right.createdAt - left.createdAt)[0];
    return {
      broadcaster_id: account.id,
      game_name: latest?.games[0]?.name ?? "",
    };
  });
  return jsonAnswer(200, { data });
}
