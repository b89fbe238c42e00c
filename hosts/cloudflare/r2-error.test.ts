import { expect, it } from "vitest";
import { callR2 } from "./r2-store.ts";

it.each([
  ["completeMultipart: There was a problem with the multipart upload. (10025)", "bad_part"],
  ["uploadPart: The specified multipart upload does not exist. (10024)", "no_such_upload"],
  ["put: Access denied. (10003)", "denied"],
  ["get: We encountered an internal error. Please try again. (10001)", "unavailable"],
  ["put: Reduce your concurrent request rate for the same object. (10058)", "unavailable"],
  ["put: words that nobody knows yet (19999)", "unavailable"],
  ["Network connection lost.", "unavailable"],
])("an error of R2, %s, is of the kind %s", async (message, kind) => {
  const failing = callR2("Calling", () => Promise.reject(new Error(message)));
  await expect(failing).rejects.toMatchObject({ kind, message: `Calling: ${message}` });
});
