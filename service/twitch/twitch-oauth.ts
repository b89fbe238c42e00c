import * as z from "zod/mini";
import { type TwitchUserId, twitchUserIdSchema } from "#contract/ids.ts";
import type { Platform } from "#service/platform.ts";
import { redirectUriOf } from "#service/settings.ts";
import { sendHelix } from "./helix-request.ts";
import { helixUserSchema } from "./helix-shapes.ts";
import { OauthError, type OauthErrorKind } from "./oauth-error.ts";
import { parseJson } from "#service/parse-json.ts";
import { describeUser, type TwitchUser } from "./twitch-api.ts";
import type { TwitchContext } from "./twitch-context.ts";
import { quoteTwitch, readTwitchWords } from "./twitch-words.ts";
import {
  API_LIMITS,
  type FetchLimits,
  requestText,
  type TextAnswer,
} from "#service/source/upstream-request.ts";

export type TwitchTokens = {
  readonly accessToken: string;
  /** Keep only the newest: Twitch may rotate it with every refresh. */
  readonly refreshToken: string | null;
  /** Only set by an exchange of a code. */
  readonly identityToken: string | null;
};

type TokenStanding =
  | { readonly isLive: true; readonly userId: TwitchUserId }
  /** The user disconnected the application, or the token expired. */
  | { readonly isLive: false };

/**
 * Authorization-code flow with Twitch (dev.twitch.tv/docs/authentication). Everything but
 * `authorizeUrl` throws {@link OauthError}.
 */
export type TwitchOauth = {
  /**
   * Twitch returns `state` with its answer, and `nonce` inside the identity token. A returning user
   * is prompted again only with REAUTHENTICATE_MINUTES.
   */
  authorizeUrl(request: { state: string; nonce: string }): string;
  /** Not idempotent: a code works once. */
  exchangeCode(code: string): Promise<TwitchTokens>;
  /** `denied` for 400 and 401, which both mean an invalid refresh token; else `unavailable`. */
  refreshTokens(refreshToken: string): Promise<TwitchTokens>;
  validateToken(accessToken: string): Promise<TokenStanding>;
  /** Idempotent: a token that has already expired is no error. */
  revokeToken(accessToken: string): Promise<void>;
  /** The user of this token; `denied` when Helix refuses it. */
  readTokenOwner(accessToken: string): Promise<TwitchUser>;
};

/** `openid` makes Twitch return an identity token (docs/twitch.md#openid-connect). */
const SCOPE = "openid user:read:email";

const tokensSchema = z.object({
  access_token: z.string().check(z.minLength(1)),
  refresh_token: z.nullish(z.string()),
  id_token: z.nullish(z.string()),
});

/** App tokens have no user, or a null one. */
const validationSchema = z.object({
  client_id: z.string(),
  user_id: z.nullish(twitchUserIdSchema),
});

export function createTwitchOauth(
  platform: Pick<Platform, "fetch" | "clock" | "random">,
  settings: TwitchContext["settings"],
  limits: FetchLimits = API_LIMITS,
): TwitchOauth {
  const redirectUri = redirectUriOf(settings);

  function send(path: string, init: RequestInit): Promise<TextAnswer> {
    return asOauth(() =>
      requestText(
        platform.fetch,
        "Twitch's sign-in",
        `${settings.TWITCH_ID_URL}${path}`,
        init,
        limits,
        undefined,
      ),
    );
  }

  async function requestTokens(grant: Record<string, string>): Promise<TwitchTokens> {
    const { clientId, clientSecret } = requireApplication(settings);
    const answer = await send("/oauth2/token", {
      method: "POST",
      body: new URLSearchParams({ client_id: clientId, client_secret: clientSecret, ...grant }),
    });
    requireGrant(answer);
    const tokens = parseJson(tokensSchema, answer.text);
    if (tokens === null) throw unreadable();
    return {
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token ?? null,
      identityToken: tokens.id_token ?? null,
    };
  }

  return {
    authorizeUrl({ state, nonce }) {
      const query = new URLSearchParams({
        client_id: requireApplication(settings).clientId,
        redirect_uri: redirectUri,
        response_type: "code",
        scope: SCOPE,
        state,
        nonce,
        // Without it Twitch redirects a returning user without a prompt (docs/twitch.md#authorize).
        ...(settings.REAUTHENTICATE_MINUTES === undefined ? {} : { force_verify: "true" }),
      });
      return `${settings.TWITCH_ID_URL}/oauth2/authorize?${query.toString()}`;
    },

    exchangeCode: (code) =>
      requestTokens({ grant_type: "authorization_code", code, redirect_uri: redirectUri }),

    async refreshTokens(refreshToken) {
      const tokens = await requestTokens({
        grant_type: "refresh_token",
        refresh_token: refreshToken,
      });
      return { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken };
    },

    async validateToken(accessToken) {
      const answer = await send("/oauth2/validate", {
        headers: { authorization: `OAuth ${accessToken}` },
      });
      if (answer.status === 401) return { isLive: false };
      if (answer.status !== 200) throw unavailable(answer);
      const validation = parseJson(validationSchema, answer.text);
      if (validation === null) throw unreadable();
      if (
        validation.client_id !== settings.TWITCH_CLIENT_ID ||
        validation.user_id === null ||
        validation.user_id === undefined
      )
        return { isLive: false };
      return { isLive: true, userId: validation.user_id };
    },

    async revokeToken(accessToken) {
      const { clientId } = requireApplication(settings);
      const answer = await send("/oauth2/revoke", {
        method: "POST",
        body: new URLSearchParams({ client_id: clientId, token: accessToken }),
      });
      // 400 means that the token has already expired.
      if (answer.status !== 200 && answer.status !== 400) throw unavailable(answer);
    },

    async readTokenOwner(accessToken) {
      const answer = await asOauth(() =>
        sendHelix({ platform, settings }, "/users", [], accessToken, limits, undefined),
      );
      if (answer.status === 401)
        throw new OauthError("denied", "Twitch no longer accepts this sign-in.");
      if (answer.status !== 200) throw unavailable(answer);
      const parsed = parseJson(z.object({ data: z.array(helixUserSchema) }), answer.text);
      const user = parsed?.data[0];
      if (user === undefined || parsed?.data.length !== 1) throw unreadable();
      return describeUser(user);
    },
  };
}

/** Network errors are `unavailable`, because they say nothing about the user. */
async function asOauth<Value>(run: () => Promise<Value>): Promise<Value> {
  try {
    return await run();
  } catch (error) {
    const message = error instanceof Error ? error.message : "Twitch could not be reached.";
    throw new OauthError("unavailable", message, { cause: error });
  }
}

/**
 * 400 and 401 mean that the code or token is invalid; 403 means that this service's secret is wrong
 * (docs/twitch.md#tokens). The API guide asks clients not to match the text of messages.
 */
function requireGrant(answer: TextAnswer): void {
  if (answer.status === 200) return;
  if (answer.status === 400 || answer.status === 401)
    throw refusal("denied", "Twitch refused the sign-in. Sign in again.", answer);
  if (answer.status === 403)
    throw refusal("unavailable", "Twitch refuses this service's TWITCH_CLIENT_SECRET.", answer);
  throw unavailable(answer);
}

function requireApplication(settings: TwitchContext["settings"]): {
  clientId: string;
  clientSecret: string;
} {
  const { TWITCH_CLIENT_ID: clientId, TWITCH_CLIENT_SECRET: clientSecret } = settings;
  if (clientId === undefined || clientSecret === undefined)
    throw new OauthError(
      "unavailable",
      "TWITCH_CLIENT_ID and TWITCH_CLIENT_SECRET are not set, so nobody can sign in with Twitch.",
    );
  return { clientId, clientSecret };
}

function unavailable(answer: TextAnswer): OauthError {
  return refusal("unavailable", `Twitch's sign-in answered with status ${answer.status}.`, answer);
}

function refusal(kind: OauthErrorKind, sentence: string, { text }: TextAnswer): OauthError {
  return new OauthError(kind, quoteTwitch(sentence, readTwitchWords(text)));
}

function unreadable(): OauthError {
  return new OauthError("unavailable", "Twitch's sign-in returned an invalid response.");
}
