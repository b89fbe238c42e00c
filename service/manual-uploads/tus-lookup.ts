import { uploadIdSchema } from "#contract/ids.ts";
import { ApiError } from "#service/api-error.ts";
import { principalOf, type RequestContext } from "#service/http/route.ts";
import type { Database } from "#service/ports/database.ts";
import { findManualUpload, type ManualRow } from "./manual-row.ts";
import { findStagedUpload, type StagedRow } from "./staged-row.ts";

/** Finds the upload that a request names. */
export type TusLookup = {
  /** @throws {ApiError} not_found */
  requireUpload(id: string | undefined): Promise<ManualRow>;
  /** @throws {ApiError} not_found; forbidden to all but its creator */
  requireOwnUpload(id: string | undefined, request: RequestContext): Promise<ManualRow>;
  /**
   * Returns null if there is none, or it has become an upload of the same id.
   * @throws {ApiError} forbidden to all but its creator
   */
  findOwnStaged(id: string | undefined, request: RequestContext): Promise<StagedRow | null>;
  /** Upload-Expires, if the upload has not received all bytes. */
  expiryOf(id: string): Promise<Record<string, string>>;
};

export function createTusLookup(database: Database): TusLookup {
  /** "If the resource is not found, the Server SHOULD return either the 404 Not Found, 410 Gone…" */
  async function requireUpload(id: string | undefined): Promise<ManualRow> {
    const known = uploadIdSchema.safeParse(id);
    const upload = known.success ? await findManualUpload(database, known.data) : null;
    if (upload === null) throw new ApiError("not_found", "There is no such upload.");
    return upload;
  }

  return {
    requireUpload,
    async requireOwnUpload(id, request) {
      return requireOwner(await requireUpload(id), request);
    },
    async findOwnStaged(id, request) {
      const known = uploadIdSchema.safeParse(id);
      const staged = known.success ? await findStagedUpload(database, known.data) : null;
      if (staged === null || staged.upload_id === staged.id) return null;
      return requireOwner(staged, request);
    },
    /** "If an upload does not finish … the Server MUST include the Upload-Expires header". */
    async expiryOf(id) {
      const upload =
        (await findManualUpload(database, id)) ?? (await findStagedUpload(database, id));
      return upload === null || upload.offset === upload.length
        ? {}
        : { "upload-expires": new Date(upload.expires_at).toUTCString() };
    },
  };
}

/** Only its creator, who confirmed the rights to the file, may add bytes to an upload. */
function requireOwner<Row extends { readonly owner_id: string }>(
  row: Row,
  request: RequestContext,
): Row {
  if (row.owner_id !== principalOf(request).userId)
    throw new ApiError("forbidden", "Only the user who created this upload can continue it.");
  return row;
}
