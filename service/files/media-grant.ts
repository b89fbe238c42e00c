import * as z from "zod/mini";
import { objectKeySchema } from "#contract/files.ts";
import { fromBase64Url, toBase64Url } from "#service/secrets/base64-url.ts";
import type { Keyring } from "#service/secrets/keyring.ts";
import { createSigner } from "#service/secrets/signer.ts";

/**
 * Permission to read one stored file, used as part of an address: signed, for one key, with an
 * expiry, and only valid as long as its session.
 */
const grantSchema = z.object({
  key: objectKeySchema,
  /** `download`: the file or its playlist, as attachments. `play`: both, for a player. */
  use: z.enum(["download", "play"]),
  sessionId: z.string(),
  expiresAtMs: z.number(),
});
export type MediaGrant = z.infer<typeof grantSchema>;

export type MediaGrants = {
  sign(grant: MediaGrant): Promise<string>;
  /** Returns null if the signature is invalid or the grant has expired. */
  open(text: string, nowMs: number): Promise<MediaGrant | null>;
};

/** Long enough to click; a download that has begun continues (auth/rights-watch.ts). */
export const DOWNLOAD_GRANT_MS = 5 * 60_000;
/** A player requests ranges until the viewer is done; the session limits this further. */
export const PLAY_GRANT_MS = 12 * 60 * 60_000;

export async function createMediaGrants(keyring: Keyring): Promise<MediaGrants> {
  const signer = await createSigner(keyring, "media grants");

  return {
    async sign(grant) {
      const text = JSON.stringify(grant);
      return `${toBase64Url(new TextEncoder().encode(text))}.${await signer.sign(text)}`;
    },

    async open(grantText, nowMs) {
      const [payload = "", signature = ""] = grantText.split(".");
      const text = decode(payload);
      if (text === null || !(await signer.verify(text, signature))) return null;
      const grant = grantSchema.parse(JSON.parse(text));
      return grant.expiresAtMs > nowMs ? grant : null;
    },
  };
}

function decode(payload: string): string | null {
  try {
    return new TextDecoder().decode(fromBase64Url(payload));
  } catch {
    return null;
  }
}
