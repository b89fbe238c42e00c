import { expect, test } from "vitest";
import { systemRandom } from "#hosts/ports/random.ts";
import { createKeyring, type Keyring } from "./keyring.ts";
import { createSecretCipher, type SecretCipher } from "./secret-cipher.ts";
import { createSigner } from "./signer.ts";

const OLD = "a key for tests, not for keeping";
const NEW = "another key for tests, not to keep";

function keyringOf(current: string, previous?: string): Keyring {
  return createKeyring({ SECRET_KEY: current, SECRET_KEY_PREVIOUS: previous });
}

function cipherOf(current: string, previous?: string): Promise<SecretCipher> {
  return createSecretCipher(keyringOf(current, previous), systemRandom);
}

test("ciphertexts differ each time, do not contain the text, and decrypt to it", async () => {
  const cipher = await cipherOf(OLD);
  const [one, other] = [await cipher.encrypt("token", "s1"), await cipher.encrypt("token", "s1")];
  expect(one).not.toBe(other);
  expect(one).not.toContain("token");
  expect(await cipher.decrypt(one, "s1")).toEqual({ text: "token", isCurrent: true });
  expect(await (await cipherOf(OLD)).decrypt(other, "s1")).toMatchObject({ text: "token" });
});

test("does not decrypt with another key, for another session, or after tampering", async () => {
  const cipher = await cipherOf(OLD);
  const sealed = await cipher.encrypt("token", "s1");
  expect(await (await cipherOf(NEW)).decrypt(sealed, "s1")).toBeNull();
  expect(await cipher.decrypt(sealed, "s2")).toBeNull();
  const changed = sealed.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
  expect(await cipher.decrypt(changed, "s1")).toBeNull();
  expect(await cipher.decrypt("token", "s1")).toBeNull();
});

test("during key rotation, decrypts with the previous key and encrypts with the current one", async () => {
  const before = await (await cipherOf(OLD)).encrypt("token", "s1");
  const rotating = await cipherOf(NEW, OLD);
  expect(await rotating.decrypt(before, "s1")).toEqual({ text: "token", isCurrent: false });
  const after = await rotating.encrypt("token", "s1");
  expect(await (await cipherOf(NEW)).decrypt(after, "s1")).toMatchObject({ text: "token" });
});

test("a signature is valid only for its text, its purpose and the keyring's keys", async () => {
  const text = "a grant";
  const old = await createSigner(keyringOf(OLD), "tests");
  const signature = await old.sign(text);
  const holds = async (keyring: Keyring, purpose = "tests"): Promise<boolean> =>
    (await createSigner(keyring, purpose)).verify(text, signature);
  expect(await holds(keyringOf(OLD))).toBe(true);
  expect(await holds(keyringOf(NEW, OLD))).toBe(true);
  expect(await holds(keyringOf(NEW))).toBe(false);
  expect(await holds(keyringOf(OLD), "others")).toBe(false);
  expect(await old.verify("another", signature)).toBe(false);
  expect(await old.verify(text, "not base64!")).toBe(false);
});
