import { createKeyring } from "./keyring.ts";
import { createSigner } from "./signer.ts";

/** Tells keys apart and reveals none: twelve letters and digits, such as `hQ3x-07Zb-Tk2M`. */
export async function fingerprintOf(secretKey: string): Promise<string> {
  const keyring = createKeyring({ SECRET_KEY: secretKey, SECRET_KEY_PREVIOUS: undefined });
  const signature = await (await createSigner(keyring, "fingerprint")).sign("");
  const [first, second, third] = signature.replaceAll(/[-_]/g, "0").match(/.{4}/g) ?? [];
  return `${first}-${second}-${third}`;
}
