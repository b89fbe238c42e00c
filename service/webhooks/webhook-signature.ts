const SECRET_PREFIX = "whsec_";

/** A secret of Standard Webhooks 1.0, of 24 to 64 random bytes. */
export function formatWebhookSecret(bytes: Uint8Array): string {
  return SECRET_PREFIX + toBase64(bytes);
}

/** The headers of Standard Webhooks 1.0. */
export async function signWebhook(
  id: string,
  atMs: number,
  body: string,
  secret: string,
): Promise<Record<string, string>> {
  const timestamp = String(Math.floor(atMs / 1_000));
  const signed = new TextEncoder().encode(`${id}.${timestamp}.${body}`);
  const bytes = Uint8Array.from(atob(secret.slice(SECRET_PREFIX.length)), (character) =>
    character.charCodeAt(0),
  );
  const algorithm = { name: "HMAC", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["sign"]);
  const signature = new Uint8Array(await crypto.subtle.sign("HMAC", key, signed));
  return {
    "webhook-id": id,
    "webhook-timestamp": timestamp,
    "webhook-signature": `v1,${toBase64(signature)}`,
  };
}

function toBase64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}
