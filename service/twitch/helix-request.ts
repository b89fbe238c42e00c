import * as z from "zod/mini";
import type { AppToken } from "./app-token.ts";
import { parseJson } from "./parse-json.ts";
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

/** Query names may repeat: `id=1&id=2`. */
export type HelixQuery = readonly (readonly [string, string])[];

export type HelixRequest = <Schema extends z.core.$ZodType>(
  path: string,
  query: HelixQuery,
  itemSchema: Schema,
  signal?: AbortSignal,
) => Promise<readonly z.output<Schema>[]>;

/** Delay before the single retry after a 503, which the API guide allows. */
const SERVICE_UNAVAILABLE_PAUSE_MS = 500;

/**
 * Requests items from Helix with the app token. A 404 is an empty list, because the reference uses
 * it for "none of these". A refused token is renewed once, and a 503 is retried once.
 * @throws {SourceError} `try_later` for everything else, with the delay of a 429
 */
export function createHelixRequest(
  context: TwitchContext,
  appToken: AppToken,
  limits: FetchLimits = API_LIMITS,
): HelixRequest {
  const { platform } = context;

  return async function askHelix(path, query, itemSchema, signal) {
    const token = await appToken.get();
    let answer = await sendHelix(context, path, query, token, limits, signal);
    if (answer.status === 401) {
      appToken.forget(token);
      const renewed = await appToken.get();
      answer = await sendHelix(context, path, query, renewed, limits, signal);
    } else if (answer.status === 503) {
      await platform.clock.sleep(SERVICE_UNAVAILABLE_PAUSE_MS, signal);
      signal?.throwIfAborted();
      answer = await sendHelix(context, path, query, token, limits, signal);
    }
    if (answer.status === 404) return [];
    requireSuccess(answer, platform.clock.now());
    const parsed = parseJson(z.object({ data: z.array(itemSchema) }), answer.text);
    if (parsed === null)
      throw new SourceError("try_later", "Twitch's API returned an invalid response.");
    return parsed.data;
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
