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

export type DeviceCode = {
  /** A secret, unlike the code that its user sees. */
  readonly deviceCode: string;
  readonly userCode: string;
  readonly verificationUri: string;
  readonly expiresInSec: number;
  readonly intervalSec: number;
};

/** RFC 8628 section 3.5: the user has not answered yet, or was asked about too often. */
export type DeviceWait = "authorization_pending" | "slow_down";

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
  /** Begins a sign-in that its user confirms at Twitch with a code (docs/twitch.md#device-code). */
  requestDeviceCode(): Promise<DeviceCode>;
  /** Not idempotent once confirmed. `denied` also means that the code has expired. */
  exchangeDeviceCode(deviceCode: string): Promise<TwitchTokens | DeviceWait>;
  /** `denied` for 400 and 401, which both mean an invalid refresh token; else `unavailable`. */
  refreshTokens(refreshToken: string): Promise<TwitchTokens>;
  validateToken(accessToken: string): Promise<TokenStanding>;
  /** Idempotent: a token that has already expired is no error. */
  revokeToken(accessToken: string): Promise<void>;
  /** The user of this token; `denied` when Helix refuses it. */
  readTokenOwner(accessToken: string): Promise<TwitchUser>;
};

const EMAIL_SCOPE = "user:read:email";

/** `openid` makes Twitch return an identity token (docs/twitch.md#openid-connect). */
const SCOPE = `openid ${EMAIL_SCOPE}`;

const tokensSchema = z.object({
  access_token: z.string().check(z.minLength(1)),
  refresh_token: z.nullish(z.string()),
  id_token: z.nullish(z.string()),
});

const deviceCodeSchema = z.object({
  device_code: z.string().check(z.minLength(1), z.maxLength(256)),
  user_code: z.string().check(z.minLength(1), z.maxLength(32)),
  verification_uri: z.url(),
  expires_in: z.number().check(z.positive()),
  interval: z._default(z.number().check(z.positive()), 5),
});

const deviceWaitSchema = z.object({ message: z.enum(["authorization_pending", "slow_down"]) });

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

  function post(path: string, fields: Record<string, string>): Promise<TextAnswer> {
    const { clientId: client_id } = requireApplication(settings);
    return send(path, { method: "POST", body: new URLSearchParams({ client_id, ...fields }) });
  }

  function askForTokens(grant: Record<string, string>): Promise<TextAnswer> {
    const { clientSecret: client_secret } = requireApplication(settings);
    return post("/oauth2/token", { client_secret, ...grant });
  }

  async function requestTokens(grant: Record<string, string>): Promise<TwitchTokens> {
    return readTokens(await askForTokens(grant));
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

    async requestDeviceCode() {
      const answer = await post("/oauth2/device", { scopes: EMAIL_SCOPE });
      requireGrant(answer);
      const issued = parseJson(deviceCodeSchema, answer.text);
      if (issued === null) throw unreadable();
      return {
        deviceCode: issued.device_code,
        userCode: issued.user_code,
        verificationUri: issued.verification_uri,
        expiresInSec: issued.expires_in,
        intervalSec: issued.interval,
      };
    },

    async exchangeDeviceCode(deviceCode) {
      const answer = await askForTokens({
        grant_type: "urn:ietf:params:oauth:grant-type:device_code",
        device_code: deviceCode,
        scopes: EMAIL_SCOPE,
      });
      // Only these messages tell them from a refusal.
      const wait = answer.status === 400 ? parseJson(deviceWaitSchema, answer.text) : null;
      return wait?.message ?? readTokens(answer);
    },

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
      const answer = await post("/oauth2/revoke", { token: accessToken });
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

function readTokens(answer: TextAnswer): TwitchTokens {
  requireGrant(answer);
  const tokens = parseJson(tokensSchema, answer.text);
  if (tokens === null) throw unreadable();
  return {
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? null,
    identityToken: tokens.id_token ?? null,
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
