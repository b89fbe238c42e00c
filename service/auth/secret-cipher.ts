import type { Random } from "#service/ports/random.ts";

/**
 * Keys made from SECRET_KEY, one for each purpose, so that what is signed for one cannot be passed
 * off as another (HKDF, RFC 5869).
 */
export type SecretCipher = {
  /** AES-256-GCM under a fresh nonce; `boundTo` has to be given again to decrypt. */
  encrypt(text: string, boundTo: string): Promise<string>;
  /** @throws when the text was changed, or encrypted under another key or for something else. */
  decrypt(encrypted: string, boundTo: string): Promise<string>;
};

const NONCE_BYTES = 12;

export async function createSecretCipher(secretKey: string, random: Random): Promise<SecretCipher> {
  const key = await deriveKey(
    secretKey,
    "twitch tokens at rest",
    { name: "AES-GCM", length: 256 },
    ["encrypt", "decrypt"],
  );

  return {
    async encrypt(text, boundTo) {
      const nonce = Uint8Array.from(random.bytes(NONCE_BYTES));
      const sealed = await crypto.subtle.encrypt(
        { name: "AES-GCM", iv: nonce, additionalData: utf8(boundTo) },
        key,
        utf8(text),
      );
      return `v1.${toBase64Url(nonce)}.${toBase64Url(new Uint8Array(sealed))}`;
    },

    async decrypt(encrypted, boundTo) {
      const [version, nonce, sealed] = encrypted.split(".");
      if (version !== "v1" || nonce === undefined || sealed === undefined)
        throw new Error("This was not encrypted by this service");
      const opened = await crypto.subtle.decrypt(
        { name: "AES-GCM", iv: fromBase64Url(nonce), additionalData: utf8(boundTo) },
        key,
        fromBase64Url(sealed),
      );
      return new TextDecoder().decode(opened);
    },
  };
}

/** As this runtime's own typings name them; the two hosts' differ. */
type DeriveKey = typeof crypto.subtle.deriveKey;

export async function deriveKey(
  secretKey: string,
  purpose: string,
  algorithm: Parameters<DeriveKey>[2],
  usages: Parameters<DeriveKey>[4],
): ReturnType<DeriveKey> {
  const base = await crypto.subtle.importKey("raw", utf8(secretKey), "HKDF", false, ["deriveKey"]);
  return await crypto.subtle.deriveKey(
    { name: "HKDF", hash: "SHA-256", salt: utf8("vodkeep"), info: utf8(purpose) },
    base,
    algorithm,
    false,
    usages,
  );
}

export function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/** @throws when the text is not base64url. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

function utf8(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(new TextEncoder().encode(text));
}
