import * as z from "zod/mini";
import { objectKeySchema } from "#contract/files.ts";
import { deriveKey, fromBase64Url, toBase64Url } from "#service/auth/secret-cipher.ts";

/**
 * Leave to read one stored file, as a part of an address: signed, for one key, for a while, and
 * only as long as the session it was given to lives.
 */
const grantSchema = z.object({
  key: objectKeySchema,
  /** `download`: the file, as an attachment. `play`: the file and the playlist beside it. */
  use: z.enum(["download", "play"]),
  sessionId: z.string(),
  expiresAtMs: z.number(),
});
export type MediaGrant = z.infer<typeof grantSchema>;

export type MediaGrants = {
  sign(grant: MediaGrant): Promise<string>;
  /** Null when it was not signed here, or has expired. */
  open(text: string, nowMs: number): Promise<MediaGrant | null>;
};

/** Long enough to click; a download that has begun goes on (auth/rights-watch.ts). */
export const DOWNLOAD_GRANT_MS = 5 * 60_000;
/** As long as a session at most: a player asks for ranges until the viewer is done. */
export const PLAY_GRANT_MS = 12 * 60 * 60_000;

export async function createMediaGrants(secretKey: string): Promise<MediaGrants> {
  const key = await deriveKey(
    secretKey,
    "media grants",
    { name: "HMAC", hash: "SHA-256", length: 256 },
    ["sign", "verify"],
  );
  const encoder = new TextEncoder();

  return {
    async sign(grant) {
      const payload = encoder.encode(JSON.stringify(grant));
      const signature = await crypto.subtle.sign("HMAC", key, payload);
      return `${toBase64Url(payload)}.${toBase64Url(new Uint8Array(signature))}`;
    },

    async open(text, nowMs) {
      const [payload, signature] = text.split(".").map(decode);
      if (payload === undefined || payload === null) return null;
      if (signature === undefined || signature === null) return null;
      if (!(await crypto.subtle.verify("HMAC", key, signature, payload))) return null;
      const grant = grantSchema.parse(JSON.parse(new TextDecoder().decode(payload)));
      return grant.expiresAtMs > nowMs ? grant : null;
    },
  };
}

function decode(text: string): Uint8Array<ArrayBuffer> | null {
  try {
    return fromBase64Url(text);
  } catch {
    return null;
  }
}
