import { expect, test } from "vitest";
import { systemRandom } from "#hosts/ports/random.ts";
import { createSecretCipher } from "./secret-cipher.ts";

const SECRET = "a key for tests, not for keeping";

test("what is encrypted is read back, looks different each time, and does not show", async () => {
  const cipher = await createSecretCipher(SECRET, systemRandom);
  const [one, other] = [await cipher.encrypt("token", "s1"), await cipher.encrypt("token", "s1")];
  expect(one).not.toBe(other);
  expect(one).not.toContain("token");
  expect(await cipher.decrypt(one, "s1")).toBe("token");
  expect(await (await createSecretCipher(SECRET, systemRandom)).decrypt(other, "s1")).toBe("token");
});

test("nothing is read with another key, for another session, or when a character changed", async () => {
  const cipher = await createSecretCipher(SECRET, systemRandom);
  const sealed = await cipher.encrypt("token", "s1");
  const other = await createSecretCipher(`${SECRET}!`, systemRandom);
  await expect(other.decrypt(sealed, "s1")).rejects.toThrow(Error);
  await expect(cipher.decrypt(sealed, "s2")).rejects.toThrow(Error);
  const changed = sealed.replace(/.$/, (last) => (last === "A" ? "B" : "A"));
  await expect(cipher.decrypt(changed, "s1")).rejects.toThrow(Error);
  await expect(cipher.decrypt("token", "s1")).rejects.toThrow("not encrypted by this service");
});
