import { emptyAnswer, idError, jsonAnswer, type Answer } from "../http/answer.ts";
import type { Exchange } from "../http/exchange.ts";
import { readForm } from "../http/request-body.ts";
import { APPLICATION, type World } from "../world.ts";
import { answerAuthorize } from "./authorize.ts";
import { answerActivate, answerDevice } from "./device.ts";
import type { IssuedTokens } from "./token-store.ts";
import type { Account } from "./accounts.ts";

export function answerOauth(world: World, exchange: Exchange): Answer {
  switch (`${exchange.method} ${exchange.url.pathname}`) {
    case "GET /oauth2/authorize":
    case "HEAD /oauth2/authorize":
    case "POST /oauth2/authorize":
      return answerAuthorize(world, exchange);
    case "POST /oauth2/device":
      return answerDevice(world, exchange);
    case "GET /activate":
    case "POST /activate":
      return answerActivate(world, exchange);
    case "POST /oauth2/token":
      return answerToken(world, exchange);
    case "GET /oauth2/validate":
      return answerValidate(world, exchange);
    case "POST /oauth2/revoke":
      return answerRevoke(world, exchange);
    default:
      return idError(404, "not found");
  }
}

/** Messages and statuses are as recorded by clients (docs/twitch.md#tokens). */
function answerToken(world: World, exchange: Exchange): Answer {
  const form = readForm(exchange.url, exchange.body);
  const clientId = form.get("client_id") ?? "";
  if (clientId === "") return idError(400, "missing client id");
  if (clientId !== APPLICATION.clientId) return idError(400, "invalid client");
  if ((form.get("client_secret") ?? "") === "") return idError(400, "missing client secret");
  if (form.get("client_secret") !== APPLICATION.clientSecret)
    return idError(403, "invalid client secret");
  switch (form.get("grant_type")) {
    case "authorization_code":
      return exchangeCode(world, form);
    case "refresh_token":
      return refreshTokens(world, form);
    case "urn:ietf:params:oauth:grant-type:device_code":
      return exchangeDeviceCode(world, form);
    case "client_credentials":
      return tokenAnswer(world.tokens.issueAppToken(clientId), []);
    default:
      return idError(400, "invalid grant type");
  }
}

function exchangeCode(world: World, form: URLSearchParams): Answer {
  const code = form.get("code") ?? "";
  if (code === "") return idError(400, "missing code");
  const grant = world.tokens.takeCode(code);
  if (grant === null) return idError(400, "Invalid authorization code");
  if (form.get("redirect_uri") !== grant.redirectUri)
    return idError(400, "Parameter redirect_uri does not match registeredURI");
  const account = world.accounts.get(grant.accountId);
  const idToken =
    account !== null && grant.scopes.includes("openid")
      ? makeIdToken(world, account, grant.nonce)
      : undefined;
  return tokenAnswer(world.tokens.issueUserTokens(grant), grant.scopes, idToken);
}

/** Without an identity token: Twitch documents none here. */
function exchangeDeviceCode(world: World, form: URLSearchParams): Answer {
  const taken = world.devices.take(form.get("device_code") ?? "");
  if (typeof taken === "string") return idError(400, taken);
  const grant = { ...taken, clientId: APPLICATION.clientId };
  return tokenAnswer(world.tokens.issueUserTokens(grant), grant.scopes);
}

function refreshTokens(world: World, form: URLSearchParams): Answer {
  const refreshToken = form.get("refresh_token") ?? "";
  if (refreshToken === "") return idError(400, "missing refresh token");
  const issued = world.tokens.refresh(refreshToken, APPLICATION.clientId);
  if (issued === null) return idError(world.settings.deadRefreshStatus, "Invalid refresh token");
  return tokenAnswer(issued, issued.grant.scopes);
}

function tokenAnswer(issued: IssuedTokens, scopes: readonly string[], idToken?: string): Answer {
  return jsonAnswer(
    200,
    {
      access_token: issued.accessToken,
      expires_in: issued.expiresInSec,
      ...(issued.refreshToken === null ? {} : { refresh_token: issued.refreshToken }),
      ...(scopes.length === 0 ? {} : { scope: scopes }),
      ...(idToken === undefined ? {} : { id_token: idToken }),
      token_type: "bearer",
    },
    { "cache-control": "no-store" },
  );
}

/** docs/twitch.md#validate; the response for an app token has neither login nor user. */
function answerValidate(world: World, exchange: Exchange): Answer {
  const header = exchange.headers.get("authorization");
  if (header === null || header === "") return idError(401, "missing authorization token");
  const token = /^(?:OAuth|Bearer) (\S+)$/i.exec(header)?.[1];
  const access = token === undefined ? null : world.tokens.readAccess(token);
  if (access === null) return idError(401, "invalid access token");
  const account = access.accountId === null ? null : world.accounts.get(access.accountId);
  return jsonAnswer(200, {
    client_id: access.clientId,
    ...(account === null ? {} : { login: account.login }),
    scopes: access.scopes,
    ...(account === null ? {} : { user_id: account.id }),
    expires_in: Math.floor((access.expiresAt - world.now()) / 1_000),
  });
}

/** docs/twitch.md#revoke. */
function answerRevoke(world: World, exchange: Exchange): Answer {
  const form = readForm(exchange.url, exchange.body);
  const clientId = form.get("client_id") ?? "";
  if (clientId !== APPLICATION.clientId) return idError(400, `Invalid client_id: ${clientId}`);
  const token = form.get("token") ?? "";
  if (token === "") return idError(400, "missing oauth token");
  return world.tokens.revoke(token) ? emptyAnswer(200) : idError(400, "Invalid token");
}

/** In Twitch's samples an id_token is valid for 15 minutes. */
const ID_TOKEN_LIFETIME_SEC = 900;

/**
 * OpenID Connect as on Twitch (docs/twitch.md#openid-connect), with a signature that means nothing:
 * clients that get the token from Twitch itself need not check it.
 */
function makeIdToken(world: World, account: Account, nonce: string | null): string {
  const issuedAt = Math.floor(world.now() / 1_000);
  const head = encode({ alg: "RS256", typ: "JWT", kid: "1" });
  const claims = encode({
    aud: APPLICATION.clientId,
    azp: APPLICATION.clientId,
    exp: issuedAt + ID_TOKEN_LIFETIME_SEC,
    iat: issuedAt,
    iss: `${world.addresses().signIn}/oauth2`,
    sub: account.id,
    preferred_username: account.displayName,
    ...(nonce === null ? {} : { nonce }),
    ...world.settings.identityClaims,
  });
  return `${head}.${claims}.${encode("signature")}`;
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
