import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { APPLICATION, type World } from "../world.ts";
import type { Account } from "./accounts.ts";

/** OpenID Connect as on Twitch (docs/twitch.md#openid-connect). The key is created on first use. */
const keyId = "1";
/** In Twitch's samples an id_token is valid for 15 minutes. */
const ID_TOKEN_LIFETIME_SEC = 900;

let privateKey: KeyObject | null = null;

function issuerOf(world: World): string {
  return `${world.baseUrl()}/oauth2`;
}

export function signIdToken(world: World, account: Account, nonce: string | null): string {
  privateKey ??= generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const issuedAt = Math.floor(world.now() / 1_000);
  const head = encode({ alg: "RS256", typ: "JWT", kid: keyId });
  const claims = encode({
    aud: APPLICATION.clientId,
    azp: APPLICATION.clientId,
    exp: issuedAt + ID_TOKEN_LIFETIME_SEC,
    iat: issuedAt,
    iss: issuerOf(world),
    sub: account.id,
    preferred_username: account.displayName,
    ...(nonce === null ? {} : { nonce }),
    ...world.settings.identityClaims,
  });
  const signature = sign("sha256", Buffer.from(`${head}.${claims}`), privateKey);
  return `${head}.${claims}.${signature.toString("base64url")}`;
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
