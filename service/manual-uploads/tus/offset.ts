import type { RequestContext } from "#service/http/route.ts";
import type { ManualUploads } from "../manual-uploads.ts";
import { canContinue, expiryHeader, gone, requireOwnUpload } from "../upload.ts";
import { requireVersion } from "./headers.ts";

/**
 * "The Server MUST always include the Upload-Offset header in the response for a HEAD request, even
 * if the offset is 0 … The Server MUST prevent the client and/or proxies from caching the response
 * by adding the Cache-Control: no-store header" (every response has it).
 *
 * A client that asks has given up its earlier request, whose bytes are stored first. A proof goes
 * on.
 */
export async function readOffset(
  { platform, active }: ManualUploads,
  id: string | undefined,
  request: RequestContext,
): Promise<Response> {
  requireVersion(request.request.headers);
  // Checked before the row is read, too: a request may store bytes and end meanwhile.
  const wasActive = id !== undefined && active.has(id);
  let upload = await requireOwnUpload(platform.database, id, request);
  if (upload.offset < upload.length && (wasActive || active.has(upload.id))) {
    await active.interrupt(upload.id);
    upload = await requireOwnUpload(platform.database, id, request);
  }
  if (!canContinue(upload, platform.clock.now())) throw gone();
  const { offset, length, upload_metadata: metadata } = upload;
  return new Response(null, {
    status: 200,
    headers: {
      "upload-offset": String(offset),
      "upload-length": String(length),
      ...(metadata === null ? {} : { "upload-metadata": metadata }),
      ...expiryHeader(upload),
    },
  });
}
