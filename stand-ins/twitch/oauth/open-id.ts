import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { idError, jsonAnswer, type Answer } from "../http/answer.ts";
import { headerOf, type Exchange } from "../http/exchange.ts";
import type { World } from "../world.ts";
import type { Account } from "./accounts.ts";

/** OpenID Connect as on Twitch (docs/twitch.md#openid-connect). The key is created on first use. */
const keyId = "1";
/** In Twitch's samples an id_token is valid for 15 minutes. */
const ID_TOKEN_LIFETIME_SEC = 900;

let keys: { readonly privateKey: KeyObject; readonly publicKey: KeyObject } | null = null;

function keyPair(): { readonly privateKey: KeyObject; readonly publicKey: KeyObject } {
  keys ??= generateKeyPairSync("rsa", { modulusLength: 2048 });
  return keys;
}

function issuerOf(world: World): string {
  return `${world.baseUrl()}/oauth2`;
}

export function openIdConfiguration(world: World): Answer {
  const issuer = issuerOf(world);
  return jsonAnswer(200, {
    authorization_endpoint: `${issuer}/authorize`,
    claims_parameter_supported: true,
    claims_supported: [
      "aud",
      "azp",
      "email",
      "email_verified",
      "exp",
      "iat",
      "iss",
      "picture",
      "preferred_username",
      "sub",
      "updated_at",
    ],
    id_token_signing_alg_values_supported: ["RS256"],
    issuer,
    jwks_uri: `${issuer}/keys`,
    response_types_supported: ["id_token", "code", "token", "code id_token", "token id_token"],
    scopes_supported: ["openid"],
    subject_types_supported: ["public"],
    token_endpoint: `${issuer}/token`,
    token_endpoint_auth_methods_supported: ["client_secret_post"],
    userinfo_endpoint: `${issuer}/userinfo`,
  });
}

export function openIdKeys(_world: World): Answer {
  const jwk = keyPair().publicKey.export({ format: "jwk" });
  return jsonAnswer(200, { keys: [{ alg: "RS256", use: "sig", kid: keyId, ...jwk }] });
}

export function signIdToken(world: World, account: Account, nonce: string | null): string {
  const issuedAt = Math.floor(world.now() / 1_000);
  const head = encode({ alg: "RS256", typ: "JWT", kid: keyId });
  const claims = encode({
    aud: world.clientId,
    azp: world.clientId,
    exp: issuedAt + ID_TOKEN_LIFETIME_SEC,
    iat: issuedAt,
    iss: issuerOf(world),
    sub: account.id,
    preferred_username: account.displayName,
    ...(nonce === null ? {} : { nonce }),
    ...world.settings.identityClaims,
  });
  const signature = sign("sha256", Buffer.from(`${head}.${claims}`), keyPair().privateKey);
  return `${head}.${claims}.${signature.toString("base64url")}`;
}

export function userInfo(world: World, exchange: Exchange): Answer {
  const token = /^Bearer (\S+)$/i.exec(headerOf(exchange, "authorization") ?? "")?.[1];
  const access = token === undefined ? null : world.tokens.readAccess(token);
  const accountId = access?.accountId ?? null;
  const account = accountId === null ? null : world.accounts.get(accountId);
  if (access === null || account === null) {
    return idError(401, "invalid access token");
  }
  const issuedAt = Math.floor(world.now() / 1_000);
  return jsonAnswer(200, {
    aud: access.clientId,
    exp: Math.floor(access.expiresAt / 1_000),
    iat: issuedAt,
    iss: issuerOf(world),
    sub: account.id,
    preferred_username: account.displayName,
  });
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
