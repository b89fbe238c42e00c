import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { StoreError } from "#service/ports/object-store.ts";
import { ignoreFixedTimes, withStoreErrors } from "./file-error.ts";
import { syncFolder, syncFolderAtStart } from "./sync-folder.ts";

describe("withStoreErrors", () => {
  it.each([
    ["ENOSPC", "full", "The disk is full."],
    ["EDQUOT", "full", "The disk quota is used up."],
    ["EROFS", "denied", "Writing a part: EROFS: no"],
    ["EACCES", "denied", "Writing a part: EACCES: no"],
    ["ENAMETOOLONG", "invalid", "This file system cannot hold names of this length."],
    ["EFBIG", "invalid", "This file system cannot hold files of this size."],
    ["ESTALE", "unavailable", "Writing a part: ESTALE: no"],
    ["EINVAL", "unavailable", "Writing a part: EINVAL: no"],
    ["EIO", "unavailable", "Writing a part: EIO: no"],
    ["EMFILE", "unavailable", "Writing a part: EMFILE: no"],
  ])("maps %s to %s with a sentence, and keeps the cause", async (code, kind, message) => {
    const cause = Object.assign(new Error(`${code}: no`), { code });
    const failing = withStoreErrors("Writing a part", () => Promise.reject(cause));
    await expect(failing).rejects.toMatchObject({ name: "StoreError", kind, message, cause });
  });

  it("passes a StoreError on unchanged", async () => {
    const error = new StoreError("no_such_upload", "Gone");
    await expect(withStoreErrors("x", () => Promise.reject(error))).rejects.toBe(error);
  });
});

it.runIf(existsSync("/proc/self"))("a file system may lack the sync of a folder", async () => {
  const folder = await open("/proc");
  await expect(folder.sync()).rejects.toThrow("EINVAL");
  await folder.close();
  await syncFolder("/proc");
  syncFolderAtStart("/proc");
});

it("a file system may refuse to set times, but not other things", () => {
  ignoreFixedTimes(Object.assign(new Error("EPERM: no"), { code: "EPERM" }));
  const broken = Object.assign(new Error("EIO: no"), { code: "EIO" });
  expect(() => ignoreFixedTimes(broken)).toThrow("EIO");
});
