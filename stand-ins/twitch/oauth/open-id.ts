import { APPLICATION, type World } from "../world.ts";
import type { Account } from "./accounts.ts";

/** In Twitch's samples an id_token is valid for 15 minutes. */
const ID_TOKEN_LIFETIME_SEC = 900;

/**
 * OpenID Connect as on Twitch (docs/twitch.md#openid-connect), with a signature that means nothing:
 * clients that get the token from Twitch itself need not check it.
 */
export function makeIdToken(world: World, account: Account, nonce: string | null): string {
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
