import { ApiError } from "#service/api-error.ts";
import { actorOf, type RequestContext } from "#service/http/route.ts";
import { cancelUpload } from "#service/storage/upload-actions.ts";
import type { ManualUploads } from "../manual-uploads.ts";
import { gone, requireUpload } from "../upload.ts";
import { requireVersion } from "./headers.ts";

/**
 * "When receiving a DELETE request for an existing upload the Server SHOULD free associated
 * resources and MUST respond with the 204 No Content status confirming that the upload was
 * terminated. For all future requests to this URL, the Server SHOULD respond with the 404 Not Found
 * or 410 Gone status." A finished upload's file is deleted in the File Browser.
 */
export async function cancelManualUpload(
  manual: ManualUploads,
  id: string | undefined,
  request: RequestContext,
): Promise<Response> {
  const { database, clock } = manual.platform;
  requireVersion(request.request.headers);
  const upload = await requireUpload(database, id);
  if (upload.status === "cancelled") throw gone();
  const action = { ...actorOf(request), uploadId: upload.id, atMs: clock.now() };
  if ((await cancelUpload(manual, action)) !== "done")
    throw new ApiError("conflict", `This upload is ${upload.status}; it cannot be cancelled.`);
  return new Response(null, { status: 204 });
}
