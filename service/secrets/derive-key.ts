/** The type as named by this runtime's own typings; those of the two hosts differ. */
type DeriveKey = typeof crypto.subtle.deriveKey;

/**
 * A key for one purpose, so that a signature for one purpose is not valid for another (HKDF, RFC
 * 5869).
 */
export async function deriveKey(
  secret: string,
  purpose: string,
  algorithm: Parameters<DeriveKey>[2],
  usages: Parameters<DeriveKey>[4],
): ReturnType<DeriveKey> {
  const encoder = new TextEncoder();
  const base = await crypto.subtle.importKey("raw", encoder.encode(secret), "HKDF", false, [
    "deriveKey",
  ]);
  return await crypto.subtle.deriveKey(
    {
      name: "HKDF",
      hash: "SHA-256",
      salt: encoder.encode("vodkeep"),
      info: encoder.encode(purpose),
    },
    base,
    algorithm,
    false,
    usages,
  );
}
