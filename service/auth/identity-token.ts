import * as z from "zod/mini";
import { type TwitchUserId, twitchUserIdSchema } from "#contract/ids.ts";
import type { Digests } from "#service/ports/digests.ts";
import { fromBase64Url } from "#service/secrets/base64-url.ts";
import { hashToken } from "./session-tokens.ts";

/** Who Twitch says signed in, and for which begun sign-in it says so. */
export type Identity = { readonly userId: TwitchUserId; readonly nonce: string | null };

/** For a clock of ours that is fast (RFC 7519 section 4.1.4); a token lives a quarter of an hour. */
const LEEWAY_SEC = 300;

const claimsSchema = z.object({
  iss: z.string(),
  aud: z.string(),
  exp: z.number(),
  sub: twitchUserIdSchema,
  nonce: z.nullish(z.string()),
});

/**
 * What an identity token claims (OpenID Connect Core 1.0 section 3.1.3.7); null for one that cannot
 * be read, comes from another issuer, is meant for another application, or is over.
 *
 * Its signature is not checked: it must come straight from Twitch's token endpoint, whose TLS
 * vouches for it (point 6 of that section).
 */
export function readIdentityToken(
  token: string,
  expected: { readonly issuer: string; readonly clientId: string; readonly nowMs: number },
): Identity | null {
  const claims = readClaims(token);
  if (
    claims === null ||
    claims.iss !== expected.issuer ||
    claims.aud !== expected.clientId ||
    (claims.exp + LEEWAY_SEC) * 1_000 <= expected.nowMs
  )
    return null;
  return { userId: claims.sub, nonce: claims.nonce ?? null };
}

function readClaims(token: string): z.infer<typeof claimsSchema> | null {
  try {
    const text = new TextDecoder().decode(fromBase64Url(token.split(".")[1] ?? ""));
    return claimsSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * What binds Twitch's answer to one begun sign-in of one browser: a digest that needs its cookie
 * (OpenID Connect Core 1.0 section 15.5.2). A code that was got by another sign-in carries another.
 */
export async function nonceOf(digests: Digests, state: string, browser: string): Promise<string> {
  return await hashToken(digests, `${state} ${browser}`);
}
