import * as calls from "#contract/manual-uploads.ts";
import { uploadIdSchema } from "#contract/ids.ts";
import { createRightsWatch } from "#service/auth/rights-watch.ts";
import type { ServiceContext } from "#service/context.ts";
import { basePathOf } from "#service/base-path.ts";
import { Failure } from "#service/failure.ts";
import { protocolRoute, type ProtocolRoute } from "#service/http/protocol-route.ts";
import { actorOf, principalOf, type RequestContext } from "#service/http/route.ts";
import { requireSpace } from "#service/space/disk-space.ts";
import { findManualUpload, type ManualRow } from "./manual-row.ts";
import { startManualUpload } from "./manual-start.ts";
import { gone, type ManualUploads } from "./manual-uploads.ts";
import {
  CHECKSUM_ALGORITHMS,
  readChecksum,
  readDeclaredLength,
  readInteger,
  readMetadata,
  requireVersion,
  TUS_EXTENSIONS,
  TUS_VERSION,
} from "./tus-headers.ts";
import { cancelUpload, retryUpload } from "./upload-actions.ts";

const BODY_TYPE = "application/offset+octet-stream";

/**
 * tus 1.0.0 over the service's own uploads. Each handler quotes the sentences of the protocol
 * (tus.io/protocols/resumable-upload) that it obeys.
 */
export function tusRoutes(context: ServiceContext, manual: ManualUploads): ProtocolRoute[] {
  const { database, clock, queue } = context.platform;
  const watch = createRightsWatch(context);

  function actionInput(uploadId: string, request: RequestContext) {
    return { ...actorOf(request), uploadId, atMs: clock.now() };
  }

  /** "If the resource is not found, the Server SHOULD return either the 404 Not Found, 410 Gone…" */
  async function requireUpload(id: string | undefined): Promise<ManualRow> {
    const known = uploadIdSchema.safeParse(id);
    const upload = known.success ? await findManualUpload(database, known.data) : null;
    if (upload === null) throw new Failure("not_found", "There is no such upload.");
    return upload;
  }

  /** Only its creator, who vouches for the rights to the file, adds bytes to an upload. */
  async function requireOwnUpload(id: string | undefined, request: RequestContext) {
    const upload = await requireUpload(id);
    if (upload.owner_id !== principalOf(request).userId)
      throw new Failure("forbidden", "Only the user who created this upload can continue it.");
    return upload;
  }

  function canGoOn(upload: ManualRow): boolean {
    if (upload.status !== "failed") return upload.status !== "cancelled";
    return upload.retry_count < upload.max_retries && upload.expires_at > clock.now();
  }

  async function append(
    upload: ManualRow,
    requestContext: RequestContext,
    offset: number,
  ): Promise<number> {
    const { request } = requestContext;
    const bodyBytes = readInteger(request.headers, "Content-Length");
    if (bodyBytes !== null && offset + bodyBytes > upload.length)
      throw new Failure("too_large", "This is more than the declared length.");
    await requireSpace(context, bodyBytes ?? 0);
    const checksum = readChecksum(request.headers);
    const body = request.body ?? new Blob([]).stream();
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    const { sessionId, userId } = principalOf(requestContext);
    // What came until then is kept, as when a line breaks.
    const breakOff = () => void manual.interrupt(upload.id);
    void watch({ sessionId, userId, permission: "write:uploads", ended, breakOff });
    try {
      return await manual.append(upload, { offset, body, bodyBytes, checksum });
    } finally {
      end();
    }
  }

  /** "If an upload does not finish … the Server MUST include the Upload-Expires header". */
  async function expiryOf(id: string): Promise<Record<string, string>> {
    const upload = await findManualUpload(database, id);
    return upload === null || upload.offset === upload.length
      ? {}
      : { "upload-expires": new Date(upload.expires_at).toUTCString() };
  }

  return [
    protocolRoute(calls.discoverManualUploads, discover),
    protocolRoute(calls.discoverManualUpload, discover),

    /**
     * "The Server MUST acknowledge a successful upload creation with the 201 Created status. The
     * Server MUST set the Location header to the URL of the created resource."
     * "The Client MAY include the entire upload data or a beginning of it … the Server MUST include
     * the Upload-Offset header" (creation-with-upload).
     */
    protocolRoute(calls.createManualUpload, async ({ context: request }) => {
      const { headers } = request.request;
      requireVersion(headers);
      const length = readDeclaredLength(headers);
      const metadata = readMetadata(headers);
      const hasBytes = headers.get("content-type") === BODY_TYPE;
      if (!hasBytes && (readInteger(headers, "Content-Length") ?? 0) > 0)
        throw new Failure("unsupported_media_type", `First bytes must be ${BODY_TYPE}.`);
      readChecksum(headers);
      const upload = await startManualUpload(context, { length, metadata }, actorOf(request));
      // Without a host: whoever opened the console under another name goes on under that name.
      const basePath = basePathOf(context.settings.PUBLIC_URL);
      const answer = new Headers({
        location: `${basePath}${calls.MANUAL_UPLOADS_PATH}/${upload.id}`,
      });
      if (hasBytes) answer.set("upload-offset", String(await append(upload, request, 0)));
      else if (length === 0) await queue.send({ uploadId: upload.id });
      for (const [name, value] of Object.entries(await expiryOf(upload.id)))
        answer.set(name, value);
      return new Response(null, { status: 201, headers: answer });
    }),

    /**
     * "The Server MUST always include the Upload-Offset header in the response for a HEAD request,
     * even if the offset is 0 … The Server MUST prevent the client and/or proxies from caching the
     * response by adding the Cache-Control: no-store header" (every answer of ours has it).
     * A client that asks has given up its earlier request: what that brought is kept first.
     */
    protocolRoute(calls.manualUploadOffset, async ({ params, context: request }) => {
      requireVersion(request.request.headers);
      const { id } = await requireOwnUpload(params.id, request);
      await manual.interrupt(id);
      const upload = await requireUpload(id);
      if (!canGoOn(upload)) throw gone();
      return new Response(null, {
        status: 200,
        headers: {
          "upload-offset": String(upload.offset),
          "upload-length": String(upload.length),
          ...(upload.upload_metadata === null ? {} : { "upload-metadata": upload.upload_metadata }),
          ...(await expiryOf(id)),
        },
      });
    }),

    /**
     * "All PATCH requests MUST use Content-Type: application/offset+octet-stream, otherwise the
     * server SHOULD return a 415 Unsupported Media Type status. … The Upload-Offset header's value
     * MUST be equal to the current offset of the resource. … If the offsets do not match, the
     * Server MUST respond with the 409 Conflict status without modifying the upload resource. …
     * The Server MUST acknowledge successful PATCH requests with the 204 No Content status. It MUST
     * include the Upload-Offset header containing the new offset."
     */
    protocolRoute(calls.continueManualUpload, async ({ params, context: request }) => {
      const { headers } = request.request;
      requireVersion(headers);
      if (headers.get("content-type") !== BODY_TYPE)
        throw new Failure("unsupported_media_type", `Bytes must be ${BODY_TYPE}.`);
      const offset = readInteger(headers, "Upload-Offset");
      if (offset === null) throw new Failure("invalid_request", "Upload-Offset is missing.");
      const found = await requireOwnUpload(params.id, request);
      if (!canGoOn(found)) throw gone();
      if (found.status === "failed") await retryUpload(context, actionInput(found.id, request));
      const upload = await requireUpload(found.id);
      if (upload.status === "completed")
        throw new Failure("conflict", "This upload is complete.", {
          headers: { "upload-offset": String(upload.length) },
        });
      const newOffset = await append(upload, request, offset);
      return new Response(null, {
        status: 204,
        headers: { "upload-offset": String(newOffset), ...(await expiryOf(upload.id)) },
      });
    }),

    /**
     * "When receiving a DELETE request for an existing upload the Server SHOULD free associated
     * resources and MUST respond with the 204 No Content status confirming that the upload was
     * terminated. For all future requests to this URL, the Server SHOULD respond with the 404 Not
     * Found or 410 Gone status." A finished upload's file is deleted in the File Browser.
     */
    protocolRoute(calls.terminateManualUpload, async ({ params, context: request }) => {
      requireVersion(request.request.headers);
      const upload = await requireUpload(params.id);
      if (upload.status === "cancelled") throw gone();
      const result = await cancelUpload(context, actionInput(upload.id, request));
      if (result !== "done")
        throw new Failure("conflict", `This upload is ${upload.status}; it cannot be cancelled.`);
      return new Response(null, { status: 204 });
    }),
  ];
}

/** "A successful response indicated by the 204 No Content or 200 OK status MUST contain the Tus-Version header." */
function discover(): Promise<Response> {
  return Promise.resolve(
    new Response(null, {
      status: 204,
      headers: {
        "tus-version": TUS_VERSION,
        "tus-extension": TUS_EXTENSIONS,
        "tus-max-size": String(calls.MAX_MANUAL_UPLOAD_BYTES),
        "tus-checksum-algorithm": CHECKSUM_ALGORITHMS.join(","),
      },
    }),
  );
}
