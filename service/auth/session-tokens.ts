import type { Digests } from "#service/ports/digests.ts";
import type { Random } from "#service/ports/random.ts";
import { toHex } from "#service/secrets/hex.ts";

/** 256 random bits as 64 lower-case hex characters, the form that log redaction recognises. */
export function newToken(random: Random): string {
  return toHex(random.bytes(32));
}

export function isToken(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** The stored form of a token. Tokens have 256 random bits, so a plain digest is enough. */
export async function hashToken(digests: Digests, token: string): Promise<string> {
  return await digests.sha256(ascii(token));
}

/**
 * The bearer of one rotation of a session: a keyed digest under the cookie, which the database does
 * not know either. The same rotation always yields the same bearer, so two concurrent refreshes
 * agree on it without storing it.
 *
 * All bearers of a session share their first 128 bits, the family, which identifies a replaced one
 * of any age. The other 128 bits change with each rotation.
 */
export async function deriveBearer(
  cookie: string,
  sessionId: string,
  rotatedAtMs: number,
): Promise<string> {
  const key = await crypto.subtle.importKey(
    "raw",
    ascii(cookie),
    { name: "HMAC", hash: "SHA-256" },
    false,
    ["sign"],
  );
  const half = async (message: string): Promise<string> =>
    toHex(new Uint8Array(await crypto.subtle.sign("HMAC", key, ascii(message)))).slice(0, 32);
  return (await half(`family ${sessionId}`)) + (await half(`bearer ${sessionId} ${rotatedAtMs}`));
}

/** The stored form of a bearer's family. */
export async function hashFamily(digests: Digests, bearer: string): Promise<string> {
  return await hashToken(digests, bearer.slice(0, 32));
}

function ascii(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(new TextEncoder().encode(text));
}
