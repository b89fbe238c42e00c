import type { ObjectKey } from "#contract/files.ts";
import { MAX_VERIFIED_FILES } from "#contract/limits.ts";
import { verifyFiles } from "#contract/verification.ts";
import { call } from "#console/lib/api-client.ts";

/** Resolves with how many of the files will be verified. Throws `ApiError`. */
export async function askVerification(keys: readonly ObjectKey[]): Promise<number> {
  let files = 0;
  for (let start = 0; start < keys.length; start += MAX_VERIFIED_FILES) {
    const asked = keys.slice(start, start + MAX_VERIFIED_FILES);
    files += (await call(verifyFiles, { body: { keys: asked } })).files;
  }
  return files;
}
