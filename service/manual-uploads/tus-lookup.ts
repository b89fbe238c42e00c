import { uploadIdSchema } from "#contract/ids.ts";
import { ApiError } from "#service/api-error.ts";
import { principalOf, type RequestContext } from "#service/http/route.ts";
import type { Database } from "#service/ports/database.ts";
import { findManualUpload, type ManualRow } from "./manual-row.ts";

/**
 * "If the resource is not found, the Server SHOULD return either the 404 Not Found, 410 Gone…"
 * @throws {ApiError} not_found
 */
export async function requireUpload(
  database: Database,
  id: string | undefined,
): Promise<ManualRow> {
  const known = uploadIdSchema.safeParse(id);
  const upload = known.success ? await findManualUpload(database, known.data) : null;
  if (upload === null) throw new ApiError("not_found", "There is no such upload.");
  return upload;
}

/** Only its creator, who confirmed the rights to the file, may add bytes to an upload. */
export function requireOwner(upload: ManualRow, request: RequestContext): void {
  if (upload.owner_id !== principalOf(request).userId)
    throw new ApiError("forbidden", "Only the user who created this upload can continue it.");
}

/** "If an upload does not finish … the Server MUST include the Upload-Expires header". */
export async function expiryOf(database: Database, id: string): Promise<Record<string, string>> {
  const upload = await findManualUpload(database, id);
  return upload === null || upload.offset === upload.length
    ? {}
    : { "upload-expires": new Date(upload.expires_at).toUTCString() };
}
