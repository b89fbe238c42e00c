import * as z from "zod/mini";
import { parseJson } from "#service/parse-json.ts";
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

/** Twitch refuses this deployment's own application; waiting does not help. */
export class ApplicationRefused extends SourceError {
  constructor(message: string) {
    super("try_later", message);
  }
}

/** The application's own access token, for calls that need no user. */
export type AppToken = {
  /** Concurrent calls share one request; later calls use the cached token. */
  get(): Promise<string>;
  /** Drops the token if it is still this one, after Helix refused it. */
  forget(token: string): void;
};

const refusalSchema = z.object({ message: z.string() });
const tokenSchema = z.object({ access_token: z.string().check(z.minLength(1)) });

/**
 * Client-credentials grant (dev.twitch.tv/docs/authentication/getting-tokens-oauth). App tokens
 * last about two months and cannot be refreshed: a new one is fetched when the old one is refused.
 * `credentials` names them where Twitch refuses them.
 */
export function createAppToken(
  { platform, settings }: TwitchContext,
  limits: FetchLimits = API_LIMITS,
  credentials = "this service's TWITCH_CLIENT_ID and TWITCH_CLIENT_SECRET",
): AppToken {
  let current: Promise<string> | null = null;
  let known: string | null = null;

  async function request(): Promise<string> {
    const { clientId, clientSecret } = requireCredentials(settings);
    const answer = await requestText(
      platform.fetch,
      "Twitch's sign-in",
      `${settings.TWITCH_ID_URL}/oauth2/token`,
      {
        method: "POST",
        body: new URLSearchParams({
          client_id: clientId,
          client_secret: clientSecret,
          grant_type: "client_credentials",
        }),
      },
      limits,
      undefined,
    );
    if (answer.status !== 200) throw failureOf(credentials, answer, platform.clock.now());
    const parsed = parseJson(tokenSchema, answer.text);
    if (parsed === null)
      throw new SourceError("try_later", "Twitch's sign-in returned a response without a token.");
    known = parsed.access_token;
    return known;
  }

  return {
    get() {
      const pending = (current ??= request());
      pending.catch(() => {
        if (current === pending) current = null;
      });
      return pending;
    },
    forget(token) {
      if (known !== token) return;
      known = null;
      current = null;
    },
  };
}

function failureOf(
  credentials: string,
  { status, headers, text }: TextAnswer,
  nowMs: number,
): SourceError {
  const words = readTwitchWords(text);
  // A refusal in another form is not Twitch's: a CDN or a proxy blocks the way to it.
  const isTwitchs = parseJson(refusalSchema, text) !== null;
  if (isTwitchs && status >= 400 && status < 500 && status !== 429) {
    const sentence = `Twitch refuses ${credentials} (status ${status}).`;
    return new ApplicationRefused(quoteTwitch(sentence, words));
  }
  return new SourceError(
    "try_later",
    quoteTwitch(`Twitch's sign-in answered with status ${status}.`, words),
    { retryAfterMs: readRetryAfterMs(headers, nowMs) },
  );
}

/** @throws {SourceError} when the service was started without a Twitch application */
function requireCredentials(settings: TwitchContext["settings"]): {
  clientId: string;
  clientSecret: string;
} {
  const { TWITCH_CLIENT_ID: clientId, TWITCH_CLIENT_SECRET: clientSecret } = settings;
  if (clientId === undefined || clientSecret === undefined)
    throw new ApplicationRefused(
      "TWITCH_CLIENT_ID and TWITCH_CLIENT_SECRET are not set, so Twitch cannot be asked.",
    );
  return { clientId, clientSecret };
}
