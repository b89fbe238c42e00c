import { describe, expect, it } from "vitest";
import { StoreError } from "#service/ports/object-store.ts";
import { withStoreErrors } from "./file-error.ts";

describe("withStoreErrors", () => {
  it.each([
    ["ENOSPC", "full"],
    ["EDQUOT", "full"],
    ["EROFS", "denied"],
    ["EACCES", "denied"],
    ["ENAMETOOLONG", "invalid"],
    ["EIO", "unavailable"],
    ["EMFILE", "unavailable"],
  ])("maps %s to %s and keeps the cause", async (code, kind) => {
    const cause = Object.assign(new Error(`${code}: no`), { code });
    const failing = withStoreErrors("Writing a part", () => Promise.reject(cause));
    await expect(failing).rejects.toMatchObject({ name: "StoreError", kind, cause });
  });

  it.each([
    ["ENOSPC", "The disk is full."],
    ["EDQUOT", "The disk quota is used up."],
  ])("describes %s in a sentence", async (code, message) => {
    const cause = Object.assign(new Error(`${code}: no`), { code });
    const failing = withStoreErrors("Writing a part", () => Promise.reject(cause));
    await expect(failing).rejects.toMatchObject({ message });
  });

  it("passes a StoreError on unchanged", async () => {
    const error = new StoreError("no_such_upload", "Gone");
    await expect(withStoreErrors("x", () => Promise.reject(error))).rejects.toBe(error);
  });
});
