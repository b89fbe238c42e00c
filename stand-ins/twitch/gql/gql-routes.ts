import { executeSync, graphqlSync, parse, type DocumentNode } from "graphql";
import { jsonAnswer, type Answer } from "../http/answer.ts";
import type { Exchange } from "../http/exchange.ts";
import { isRecord, readJson } from "../http/request-body.ts";
import type { Fault } from "../faults/fault.ts";
import { avatarUrl } from "../helix/users.ts";
import { issuePlaybackToken } from "../usher/playback-token.ts";
import { randomWord } from "../random.ts";
import type { World } from "../world.ts";
import { persistedQuery } from "./persisted-queries.ts";
import { schema } from "./schema.ts";
import { IntegrityError, videoObject, type GqlObject } from "./video-object.ts";

/**
 * The web player's public id, which may not page comments by cursor (docs/twitch.md#chat-replay).
 */
const WEB_CLIENT_ID = "kimne78kx3ncx6brgo4mv6wki5h1ko";
const MAX_BATCH = 35;

/** First-party ids that public clients send: the web player's, the one for chat, and yt-dlp's. */
const CLIENT_IDS = new Set([
  WEB_CLIENT_ID,
  "kd1unb4b3q4t58fwlpcbzcbnm76a8fp",
  "ue6666qo983tsx6so1t0vnawi233wa",
]);

export type Operation = {
  readonly name: string | null;
  readonly query: string | null;
  readonly hash: string | null;
  readonly variables: Readonly<Record<string, unknown>>;
};

/**
 * gql.twitch.tv (docs/twitch.md#web-api): one operation or an array; errors come with status 200.
 */
export function answerGql(world: World, exchange: Exchange, fault: Fault | null): Answer {
  if (exchange.method !== "POST") return badRequest(404, "Not Found", "");
  const clientId = exchange.headers.get("client-id") ?? exchange.url.searchParams.get("client_id");
  if (clientId === null)
    return badRequest(400, "Bad Request", 'The "Client-ID" header is missing.');
  if (!CLIENT_IDS.has(clientId))
    return badRequest(400, "Bad Request", 'The "Client-ID" header is invalid.');
  const authorization = exchange.headers.get("authorization");
  if (authorization !== null && !isGoodSession(world, authorization))
    return badRequest(401, "Unauthorized", 'The "Authorization" token is invalid.');
  const body = readJson(exchange.body);
  const operations = readOperations(body);
  if (operations === null)
    return badRequest(400, "Bad Request", "the request body is not a GraphQL operation");
  const replies = operations.map((operation) => answerOperation(world, exchange, operation, fault));
  return jsonAnswer(200, Array.isArray(body) ? replies : replies[0]);
}

/** Parses the operations of a body; null when it is not GraphQL. */
export function readOperations(body: unknown): Operation[] | null {
  const items: unknown[] = Array.isArray(body) ? body : [body];
  if (items.length === 0 || items.length > MAX_BATCH) return null;
  const operations: Operation[] = [];
  for (const item of items) {
    if (!isRecord(item)) return null;
    const extensions = isRecord(item["extensions"]) ? item["extensions"] : {};
    const persisted = isRecord(extensions["persistedQuery"]) ? extensions["persistedQuery"] : {};
    operations.push({
      name: typeof item["operationName"] === "string" ? item["operationName"] : null,
      query: typeof item["query"] === "string" ? item["query"] : null,
      hash: typeof persisted["sha256Hash"] === "string" ? persisted["sha256Hash"] : null,
      variables: isRecord(item["variables"]) ? item["variables"] : {},
    });
  }
  return operations;
}

/** The VOD of an operation, from its variables or from the text of an inline query. */
export function vodIdOf(operation: Operation): string | null {
  for (const name of ["videoID", "vodID", "videoId", "vodId", "id"]) {
    const value = operation.variables[name];
    if (typeof value === "string" && /^\d+$/.test(value)) return value;
  }
  return /\bid\s*:\s*"?(\d+)"?/.exec(operation.query ?? "")?.[1] ?? null;
}

function answerOperation(
  world: World,
  exchange: Exchange,
  operation: Operation,
  fault: Fault | null,
): unknown {
  const extensions = {
    durationMilliseconds: 12,
    ...(operation.name === null ? {} : { operationName: operation.name }),
    requestID: `01${randomWord(24).toUpperCase()}`,
  };
  if (fault?.type === "gqlError") {
    const challenge =
      fault.message === INTEGRITY_MESSAGE ? { challenge: { type: "integrity" } } : {};
    const named = fault.code === undefined ? {} : { extensions: { code: fault.code } };
    return {
      errors: [{ message: fault.message, ...named }],
      data: null,
      extensions: { ...extensions, ...challenge },
    };
  }
  const query = operation.query ?? persistedQuery(operation.hash ?? "");
  if (query === null) return { errors: [{ message: "PersistedQueryNotFound" }], extensions };
  const document = validQueries.get(query);
  const args = {
    schema,
    rootValue: rootObject(world, exchange),
    variableValues: operation.variables,
    hideSuggestions: true,
  };
  const result =
    document === undefined
      ? graphqlSync({ ...args, source: query })
      : executeSync({ ...args, document });
  if (result.errors === undefined) validQueries.set(query, document ?? parse(query));
  const isRefused = result.errors?.some((error) => error.originalError instanceof IntegrityError);
  return isRefused === true
    ? { ...result, data: null, extensions: { ...extensions, challenge: { type: "integrity" } } }
    : { ...result, extensions };
}

/** Clients send few: to check one takes far longer than to answer it. */
const validQueries = new Map<string, DocumentNode>();

const INTEGRITY_MESSAGE = "failed integrity check";

type Args = Readonly<Record<string, unknown>>;

function rootObject(world: World, exchange: Exchange): GqlObject {
  return {
    videoPlaybackAccessToken: (args: Args) => {
      const vodId = String(args["id"]);
      const vod = world.vods.seenBy("webApi", vodId);
      if (vod === null) return null;
      if (vod.nullTokensGiven < vod.nullTokensTimes) {
        vod.nullTokensGiven += 1;
        return null;
      }
      const token = issuePlaybackToken(world, vodId);
      return {
        value: token.value,
        signature: token.signature,
        authorization: { isForbidden: false, forbiddenReasonCode: "NONE" },
      };
    },
    video: (args: Args) => {
      const vod = world.vods.seenBy("webApi", String(args["id"]));
      if (vod === null) return null;
      return videoObject(world, vod, {
        mayUseCursors: exchange.headers.get("client-id") !== WEB_CLIENT_ID,
      });
    },
    user: (args: Args) => {
      const account =
        typeof args["login"] === "string"
          ? world.accounts.byLogin(args["login"])
          : world.accounts.get(String(args["id"]));
      return account === null
        ? null
        : {
            id: account.id,
            login: account.login,
            displayName: account.displayName,
            primaryColorHex: "9146FF",
            isPartner: false,
            profileImageURL: () => avatarUrl(world, account),
          };
    },
  };
}

/** Whether this is a twitch.tv session; the stand-in accepts its own user tokens. */
function isGoodSession(world: World, authorization: string): boolean {
  const token = /^OAuth (\S+)$/i.exec(authorization)?.[1];
  return token !== undefined && world.tokens.readAccess(token) !== null;
}

function badRequest(status: number, error: string, message: string): Answer {
  return jsonAnswer(status, { error, status, message });
}
