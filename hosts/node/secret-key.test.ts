import { mkdir, readdir, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { fingerprintOf } from "#service/secrets/key-fingerprint.ts";
import { readSettings } from "#service/settings.ts";
import { secretKeyOf } from "./secret-key.ts";
import { makeTemporaryFolder } from "./testing/temporary-folder.ts";

const OLD = "a key for tests, not for keeping";
const NEW = "another key for tests, not to keep";

let folder: { path: string; remove(): Promise<void> };
beforeEach(async () => {
  folder = await makeTemporaryFolder();
});
afterEach(() => folder.remove());

test.each<[string, (path: string) => Promise<unknown>, RegExp]>([
  ["unreadable", mkdir, /^The secret key .*secret-key cannot be read: EISDIR/],
  ["empty", (path) => writeFile(path, "\n"), /secret-key is empty\. Restore it/],
])("says what is wrong with an %s secret key", async (_what, damage, said) => {
  await damage(join(folder.path, "secret-key"));
  await expect(secretKeyOf(folder, readSettings({}), null)).rejects.toThrow(said);
});

test("keeps one secret key, readable only by its owner, also after an interrupted start", async () => {
  await writeFile(join(folder.path, "secret-key.new"), "0123");
  const key = await secretKeyOf(folder, readSettings({}), null);
  expect(key).toMatch(/^[0-9a-f]{64}$/);
  expect(await secretKeyOf(folder, readSettings({}), await fingerprintOf(key))).toBe(key);
  expect(await readdir(folder.path)).toEqual(["secret-key"]);
  expect((await stat(join(folder.path, "secret-key"))).mode & 0o777).toBe(0o600);
});

test("makes no key and takes no other for a database that was sealed with one", async () => {
  const [sealedWith, other] = [await fingerprintOf(OLD), await fingerprintOf(NEW)];
  expect(sealedWith).toMatch(/^(?:[A-Za-z0-9]{4}-){2}[A-Za-z0-9]{4}$/);
  const take = (settings: Record<string, string>) =>
    secretKeyOf(folder, readSettings(settings), sealedWith);
  await expect(take({})).rejects.toThrow(`sealed with the secret key ${sealedWith}, and there is`);
  await expect(take({ SECRET_KEY: NEW })).rejects.toThrow(`this one is ${other}`);
  expect(await readdir(folder.path)).toEqual([]);
  expect(await take({ SECRET_KEY: OLD })).toBe(OLD);
  expect(await take({ SECRET_KEY: NEW, SECRET_KEY_PREVIOUS: OLD })).toBe(NEW);
  expect(await take({ SECRET_KEY_PREVIOUS: OLD })).toMatch(/^[0-9a-f]{64}$/);
});
