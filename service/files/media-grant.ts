import * as z from "zod/mini";
import { objectKeySchema } from "#contract/files.ts";
import { fromBase64Url, toBase64Url } from "#service/secrets/base64-url.ts";
import type { Keyring } from "#service/secrets/keyring.ts";
import { createSigner } from "#service/secrets/signer.ts";

/**
 * Permission to read one stored file, used as part of an address: signed, for one key. It lives as
 * long as its session, so that a browser can resume an interrupted download and a player can seek.
 */
const grantSchema = z.object({
  key: objectKeySchema,
  /** `download`: the file or its playlist, as attachments. `play`: both, for a player. */
  use: z.enum(["download", "play"]),
  sessionId: z.string(),
  issuedAtMs: z.number(),
});
export type MediaGrant = z.infer<typeof grantSchema>;

export type MediaGrants = {
  sign(grant: MediaGrant): Promise<string>;
  /** Returns null if the signature is invalid. Whether its session lives is for the caller to ask. */
  open(text: string): Promise<MediaGrant | null>;
};

export async function createMediaGrants(keyring: Keyring): Promise<MediaGrants> {
  const signer = await createSigner(keyring, "media grants");

  return {
    async sign(grant) {
      const text = JSON.stringify(grant);
      return `${toBase64Url(new TextEncoder().encode(text))}.${await signer.sign(text)}`;
    },

    async open(grantText) {
      const [payload = "", signature = ""] = grantText.split(".");
      const text = decode(payload);
      if (text === null || !(await signer.verify(text, signature))) return null;
      return grantSchema.safeParse(JSON.parse(text)).data ?? null;
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
