import { jsonAnswer, type Answer } from "../http/answer.ts";
import { headerOf, type Exchange } from "../http/exchange.ts";
import type { AccessGrant } from "../oauth/token-store.ts";
import type { World } from "../world.ts";
import { listChannels } from "./channels.ts";
import { helixError } from "./helix-error.ts";
import type { RateState } from "./rate-bucket.ts";
import { listStreams } from "./streams.ts";
import { listUsers } from "./users.ts";
import { listVideos } from "./videos.ts";

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
  const header = headerOf(exchange, "authorization");
  if (header === null || header === "") return "OAuth token is missing";
  const token = /^Bearer (\S+)$/i.exec(header)?.[1];
  const access = token === undefined ? null : world.tokens.readAccess(token);
  if (access === null) return "Invalid OAuth token";
  const clientId = headerOf(exchange, "client-id");
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
