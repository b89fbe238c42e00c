import { fromBase64Url, toBase64Url } from "./base64-url.ts";
import { deriveKey } from "./derive-key.ts";
import type { Keyring } from "./keyring.ts";

/** HMAC-SHA-256 with keys for one purpose, as 43 base64url characters. */
export type Signer = {
  /** Uses the current secret; deterministic. */
  sign(text: string): Promise<string>;
  /** Whether any secret of the keyring made the signature. Compares in constant time. */
  verify(text: string, signature: string): Promise<boolean>;
};

export async function createSigner(keyring: Keyring, purpose: string): Promise<Signer> {
  const current = await hmacKey(keyring.current, purpose);
  const keys = await Promise.all(keyring.all.map((secret) => hmacKey(secret, purpose)));
  const encoder = new TextEncoder();

  return {
    async sign(text) {
      return toBase64Url(
        new Uint8Array(await crypto.subtle.sign("HMAC", current, encoder.encode(text))),
      );
    },
    async verify(text, signature) {
      const bytes = bytesOf(signature);
      if (bytes === null) return false;
      const results = await Promise.all(
        keys.map((key) => crypto.subtle.verify("HMAC", key, bytes, encoder.encode(text))),
      );
      return results.includes(true);
    },
  };
}

function bytesOf(signature: string): Uint8Array<ArrayBuffer> | null {
  try {
    return fromBase64Url(signature);
  } catch {
    return null;
  }
}

function hmacKey(secret: string, purpose: string): ReturnType<typeof deriveKey> {
  return deriveKey(secret, purpose, { name: "HMAC", hash: "SHA-256", length: 256 }, [
    "sign",
    "verify",
  ]);
}
