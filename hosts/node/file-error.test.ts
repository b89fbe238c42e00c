import { describe, expect, it } from "vitest";
import { StoreError } from "#service/ports/object-store.ts";
import { withStoreErrors } from "./file-error.ts";

describe("withStoreErrors", () => {
  it.each([
    ["ENOSPC", "full", "The disk is full."],
    ["EDQUOT", "full", "The disk quota is used up."],
    ["EROFS", "denied", "Writing a part: Error: EROFS: no"],
    ["EACCES", "denied", "Writing a part: Error: EACCES: no"],
    ["ENAMETOOLONG", "invalid", "Writing a part: Error: ENAMETOOLONG: no"],
    ["EIO", "unavailable", "Writing a part: Error: EIO: no"],
    ["EMFILE", "unavailable", "Writing a part: Error: EMFILE: no"],
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
