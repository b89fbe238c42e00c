import type { Random } from "#service/ports/random.ts";
import { fromBase64Url, toBase64Url } from "./base64-url.ts";
import { deriveKey } from "./derive-key.ts";
import type { Keyring } from "./keyring.ts";

/**
 * Encrypts secrets that the database stores and that must be readable again: Twitch's tokens, and
 * the addresses and secrets of webhooks.
 */
export type SecretCipher = {
  /** AES-256-GCM with a random nonce and the current secret; `boundTo` is required to decrypt. */
  encrypt(text: string, boundTo: string): Promise<string>;
  /**
   * Null when the text was changed, or encrypted with another `boundTo` or a secret that is no
   * longer in the keyring.
   */
  decrypt(encrypted: string, boundTo: string): Promise<Decrypted | null>;
};

export type Decrypted = {
  readonly text: string;
  /** False if encrypted with an earlier secret: encrypt it again. */
  readonly isCurrent: boolean;
};

const NONCE_BYTES = 12;

export async function createSecretCipher(keyring: Keyring, random: Random): Promise<SecretCipher> {
  const current = await tokenKey(keyring.current);
  const keys = await Promise.all(keyring.all.map(tokenKey));

  return {
    async encrypt(text, boundTo) {
      const nonce = Uint8Array.from(random.bytes(NONCE_BYTES));
      const sealed = await crypto.subtle.encrypt(
        { name: "AES-GCM", iv: nonce, additionalData: utf8(boundTo) },
        current,
        utf8(text),
      );
      return `v1.${toBase64Url(nonce)}.${toBase64Url(new Uint8Array(sealed))}`;
    },

    async decrypt(encrypted, boundTo) {
      for (const [index, key] of keys.entries()) {
        try {
          return { text: await open(key, encrypted, boundTo), isCurrent: index === 0 };
        } catch {
          // Not encrypted with this secret; try the next one.
        }
      }
      return null;
    },
  };
}

async function open(
  key: Awaited<ReturnType<typeof deriveKey>>,
  encrypted: string,
  boundTo: string,
): Promise<string> {
  const [version, nonce, sealed] = encrypted.split(".");
  if (version !== "v1" || nonce === undefined || sealed === undefined)
    throw new Error("This was not encrypted by this service");
  const opened = await crypto.subtle.decrypt(
    { name: "AES-GCM", iv: fromBase64Url(nonce), additionalData: utf8(boundTo) },
    key,
    fromBase64Url(sealed),
  );
  return new TextDecoder().decode(opened);
}

function tokenKey(secret: string): ReturnType<typeof deriveKey> {
  return deriveKey(secret, "twitch tokens at rest", { name: "AES-GCM", length: 256 }, [
    "encrypt",
    "decrypt",
  ]);
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(new TextEncoder().encode(text));
}
