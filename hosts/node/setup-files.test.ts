import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createSetupHost, readStoredCredentials } from "./setup-files.ts";
import { makeTemporaryFolder } from "./testing/temporary-folder.ts";

const OLD = { SECRET_KEY: "an old key for tests", SECRET_KEY_PREVIOUS: undefined };
const NEW = { SECRET_KEY: "a new key for tests", SECRET_KEY_PREVIOUS: undefined };
const ROTATING = { ...NEW, SECRET_KEY_PREVIOUS: OLD.SECRET_KEY };
const STORED = { TWITCH_CLIENT_ID: "some id", TWITCH_CLIENT_SECRET: "a secret" };

test("credentials are stored encrypted, for their owner only, and follow a rotated key", async () => {
  await using temporary = await makeTemporaryFolder();
  const folder = { path: temporary.path, release: () => undefined };
  const read = (keys: typeof ROTATING | typeof OLD, renews: boolean) =>
    readStoredCredentials(folder, keys, { renews });
  expect(await read(OLD, true)).toBeNull();
  let restarts = 0;
  const host = createSetupHost(folder, OLD, {
    code: undefined,
    credentials: "none",
    twitchIdUrl: "https://id.twitch.tv",
    restart: () => (restarts += 1),
  });
  expect(host.code).toMatch(/^[0-9a-f]{4}(?:-[0-9a-f]{4}){3}$/);
  await host.storeCredentials({ clientId: "some id", clientSecret: "a secret" });
  expect(restarts).toBe(1);
  const path = join(folder.path, "twitch-credentials");
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  const written = await readFile(path, "utf8");
  expect(written).not.toContain("secret");
  expect(await read(OLD, true)).toEqual(STORED);
  await expect(read(NEW, true)).rejects.toThrow("SECRET_KEY does not decrypt");
  expect(await read(ROTATING, false)).toEqual(STORED);
  expect(await readFile(path, "utf8")).toBe(written);
  expect(await read(ROTATING, true)).toEqual(STORED);
  expect(await read(NEW, true)).toEqual(STORED);
});
