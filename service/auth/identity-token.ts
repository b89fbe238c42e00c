import * as z from "zod/mini";
import { type TwitchUserId, twitchUserIdSchema } from "#contract/ids.ts";
import type { Digests } from "#service/ports/digests.ts";
import { fromBase64Url } from "#service/secrets/base64-url.ts";
import { hashToken } from "./session-tokens.ts";

/** The user that Twitch says signed in, and the nonce of the sign-in that was begun. */
export type Identity = {
  readonly userId: TwitchUserId;
  readonly nonce: string | null;
  readonly expiresAtMs: number;
};

const claimsSchema = z.object({
  iss: z.string(),
  aud: z.string(),
  exp: z.number(),
  sub: twitchUserIdSchema,
  nonce: z.nullish(z.string()),
});

/**
 * The claims of an identity token (OpenID Connect Core 1.0 section 3.1.3.7). Null when it cannot be
 * read, or has another issuer or audience. Whether it has expired is for the caller to ask.
 *
 * The signature is not checked: the token must come directly from Twitch's token endpoint, whose
 * TLS vouches for it (point 6 of that section).
 */
export function readIdentityToken(
  token: string,
  expected: { readonly issuer: string; readonly clientId: string },
): Identity | null {
  const claims = readClaims(token);
  if (claims === null || claims.iss !== expected.issuer || claims.aud !== expected.clientId)
    return null;
  return { userId: claims.sub, nonce: claims.nonce ?? null, expiresAtMs: claims.exp * 1_000 };
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
 * Binds Twitch's answer to one sign-in of one browser: a digest that needs the browser's cookie
 * (OpenID Connect Core 1.0 section 15.5.2). A code from another sign-in has a different nonce.
 */
export async function nonceOf(digests: Digests, state: string, browser: string): Promise<string> {
  return await hashToken(digests, `${state} ${browser}`);
}
