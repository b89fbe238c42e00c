import type { Digests } from "#service/ports/digests.ts";
import type { Random } from "#service/ports/random.ts";

/** 256 random bits as 64 lower-case hex characters: the form that log redaction recognises. */
export function newToken(random: Random): string {
  return toHex(random.bytes(32));
}

export function isToken(text: string): boolean {
  return /^[0-9a-f]{64}$/.test(text);
}

/** What the database keeps of a token. The token itself has 256 bits, so a plain digest will do. */
export async function hashToken(digests: Digests, token: string): Promise<string> {
  return await digests.sha256(ascii(token));
}

/**
 * The bearer of a session's rotation: a keyed digest under the cookie, which the database does not
 * know either. The same rotation always yields the same bearer, so that two refreshes that cross
 * on the way agree on it, without anyone storing it.
 *
 * All bearers of a session begin with the same 128 bits, its family, by which a replaced one is
 * recognised however old it is. The other 128 bits change with each rotation.
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

/** What the database keeps of a bearer's family. */
export async function hashFamily(digests: Digests, bearer: string): Promise<string> {
  return await hashToken(digests, bearer.slice(0, 32));
}

const HEX_OF_BYTE = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += HEX_OF_BYTE[byte];
  return text;
}

function ascii(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(new TextEncoder().encode(text));
}
