import * as z from "zod/mini";
import type { AppToken } from "./app-token.ts";
import { parseJson } from "#service/parse-json.ts";
import { type RequestLane, UNCOUNTED } from "./request-budget.ts";
import { readRetryAfterMs } from "#service/source/retry-after.ts";
import { SourceError } from "#service/source/source-error.ts";
import type { TwitchContext } from "./twitch-context.ts";
import { quoteTwitch, readTwitchWords } from "./twitch-words.ts";
import {
  API_LIMITS,
  type FetchLimits,
  requestText,
  type TextAnswer,
} from "#service/source/upstream-request.ts";

/** Real ones have about 100 characters. */
const MAX_CURSOR_LENGTH = 2_000;

/** Query names may repeat: `id=1&id=2`. */
export type HelixQuery = readonly (readonly [string, string])[];

export type HelixRequest = <Schema extends z.core.$ZodType>(
  path: string,
  query: HelixQuery,
  itemSchema: Schema,
  signal?: AbortSignal,
) => Promise<HelixPage<z.output<Schema>>>;

/** An empty page may have a cursor, too: the list goes on after it. */
export type HelixPage<Item> = { readonly items: readonly Item[]; readonly cursor: string | null };

const paginationSchema = z.nullish(
  z.object({ cursor: z.nullish(z.string().check(z.maxLength(MAX_CURSOR_LENGTH))) }),
);

/** Delay before the single retry after a 503, which the API guide allows. */
const SERVICE_UNAVAILABLE_PAUSE_MS = 500;

/**
 * Requests items from Helix with the app token. A 404 is an empty list, because the reference uses
 * it for "none of these". A refused token is renewed once, and a 503 is retried once. Each request
 * passes through `lane`.
 * @throws {SourceError} `try_later` for everything else, with the delay of a 429
 */
export function createHelixRequest(
  context: TwitchContext,
  appToken: AppToken,
  limits: FetchLimits = API_LIMITS,
  lane: RequestLane = UNCOUNTED,
): HelixRequest {
  const { platform } = context;

  async function send(
    path: string,
    query: HelixQuery,
    token: string,
    signal: AbortSignal | undefined,
  ): Promise<TextAnswer> {
    await lane.enter(signal);
    const answer = await sendHelix(context, path, query, token, limits, signal);
    lane.hear(answer.headers);
    return answer;
  }

  return async function askHelix(path, query, itemSchema, signal) {
    const token = await appToken.get();
    let answer = await send(path, query, token, signal);
    if (answer.status === 401) {
      appToken.forget(token);
      const renewed = await appToken.get();
      answer = await send(path, query, renewed, signal);
    } else if (answer.status === 503) {
      await platform.clock.sleep(SERVICE_UNAVAILABLE_PAUSE_MS, signal);
      signal?.throwIfAborted();
      answer = await send(path, query, token, signal);
    }
    if (answer.status === 404) return { items: [], cursor: null };
    requireSuccess(answer, platform.clock.now());
    const pageSchema = z.object({ data: z.array(itemSchema), pagination: paginationSchema });
    const parsed = parseJson(pageSchema, answer.text);
    if (parsed === null)
      throw new SourceError("try_later", "Twitch's API returned an invalid response.");
    return { items: parsed.data, cursor: parsed.pagination?.cursor || null };
  };
}

export function sendHelix(
  { platform, settings }: TwitchContext,
  path: string,
  query: HelixQuery,
  token: string,
  limits: FetchLimits,
  signal: AbortSignal | undefined,
): Promise<TextAnswer> {
  const search = new URLSearchParams(
    query.map(([name, value]): [string, string] => [name, value]),
  ).toString();
  return requestText(
    platform.fetch,
    "Twitch's API",
    `${settings.TWITCH_API_URL}${path}${search === "" ? "" : `?${search}`}`,
    {
      headers: { authorization: `Bearer ${token}`, "client-id": settings.TWITCH_CLIENT_ID ?? "" },
    },
    limits,
    signal,
  );
}

/** @throws {SourceError} for any status but 200 */
function requireSuccess(answer: TextAnswer, nowMs: number): void {
  const { status, headers, text } = answer;
  if (status === 200) return;
  const sentence =
    status === 429
      ? "Twitch asks this service to slow down."
      : `Twitch's API answered with status ${status}.`;
  const mayAskToWait = status === 429 || status >= 500;
  throw new SourceError("try_later", quoteTwitch(sentence, readTwitchWords(text)), {
    retryAfterMs: mayAskToWait ? readRetryAfterMs(headers, nowMs) : null,
  });
}
