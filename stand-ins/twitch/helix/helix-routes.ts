import { jsonAnswer, type Answer } from "../http/answer.ts";
import type { Exchange } from "../http/exchange.ts";
import type { AccessGrant } from "../oauth/token-store.ts";
import type { World } from "../world.ts";
import { helixError } from "./helix-error.ts";
import type { RateState } from "./rate-bucket.ts";
import { listUsers } from "./users.ts";
import { listVideos } from "./videos.ts";
import { cursorTo, readPlace } from "./paging.ts";

/** api.twitch.tv/helix (docs/twitch.md#helix). */
export function answerHelix(world: World, exchange: Exchange): Answer {
  const access = readAccess(world, exchange);
  if (typeof access === "string") return helixError(401, access);
  const rate = world.rates.spend(access.accountId ?? "app");
  const answer = rate.isAllowed
    ? route(world, exchange, access)
    : helixError(429, "Too Many Requests");
  return { ...answer, headers: { ...answer.headers, ...rateHeaders(rate) } };
}

function route(world: World, exchange: Exchange, access: AccessGrant): Answer {
  const path = exchange.url.pathname.replace(/^\/helix/, "");
  if (exchange.method !== "GET") return helixError(404, "Not Found");
  switch (path) {
    case "/users":
      return listUsers(world, exchange.url.searchParams, access);
    case "/videos":
      return listVideos(world, exchange.url.searchParams);
    case "/channels":
      return listChannels(world, exchange.url.searchParams);
    case "/streams":
      return listStreams(world, exchange.url.searchParams);
    default:
      return jsonAnswer(404, { error: "Not Found", status: 404, message: "" });
  }
}

/** Returns the grant, or the message of the 401 response. */
function readAccess(world: World, exchange: Exchange): AccessGrant | string {
  const header = exchange.headers.get("authorization");
  if (header === null || header === "") return "OAuth token is missing";
  const token = /^Bearer (\S+)$/i.exec(header)?.[1];
  const access = token === undefined ? null : world.tokens.readAccess(token);
  if (access === null) return "Invalid OAuth token";
  const clientId = exchange.headers.get("client-id");
  if (clientId === null) return "Client ID is missing";
  return clientId === access.clientId ? access : "Client ID and OAuth token do not match";
}

function rateHeaders(rate: RateState): Record<string, string> {
  return {
    "ratelimit-limit": String(rate.limit),
    "ratelimit-remaining": String(rate.remaining),
    "ratelimit-reset": String(rate.resetSec),
  };
}

/** GET /channels by broadcaster_id; unknown ones are omitted. Of the answer, only what is used. */
function listChannels(world: World, query: URLSearchParams): Answer {
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

const MAX_USERS = 100;

/** GET /streams, all or by user; channels that are not live are omitted. */
function listStreams(world: World, query: URLSearchParams): Answer {
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
