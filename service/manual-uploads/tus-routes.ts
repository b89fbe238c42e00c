import * as calls from "#contract/manual-uploads.ts";
import type { ServiceContext } from "#service/context.ts";
import { basePathOf } from "#service/base-path.ts";
import { ApiError } from "#service/api-error.ts";
import { protocolRoute, type ProtocolRoute } from "#service/http/protocol-route.ts";
import { actorOf, type RequestContext } from "#service/http/route.ts";
import { gone, type ManualRow } from "./manual-row.ts";
import { startManualUpload } from "./manual-start.ts";
import type { ManualUploads } from "./manual-uploads.ts";
import {
  CHECKSUM_ALGORITHMS,
  readChecksum,
  readInteger,
  readLength,
  readMetadata,
  requireVersion,
  TUS_EXTENSIONS,
  TUS_VERSION,
} from "./tus-headers.ts";
import { cancelUpload, retryUpload } from "#service/storage/upload-actions.ts";
import { createTusBody } from "./tus-body.ts";
import { expiryOf, requireOwner, requireUpload } from "./tus-lookup.ts";

const BODY_TYPE = "application/offset+octet-stream";

/**
 * tus 1.0.0 for manual uploads. Each handler quotes the requirements of the protocol
 * (tus.io/protocols/resumable-upload) that it implements.
 */
export function tusRoutes(context: ServiceContext, manual: ManualUploads): ProtocolRoute[] {
  const { database, clock, queue } = context.platform;
  const passBody = createTusBody(context);

  function actionInput(uploadId: string, request: RequestContext) {
    return { ...actorOf(request), uploadId, atMs: clock.now() };
  }

  function canGoOn(upload: ManualRow): boolean {
    if (upload.status !== "failed") return upload.status !== "cancelled";
    return upload.retry_count < upload.max_retries && upload.expires_at > clock.now();
  }

  function append(upload: ManualRow, request: RequestContext, offset: number): Promise<number> {
    return passBody(request, offset, (bytes) => manual.append(upload, bytes));
  }

  /** Without a host, so that clients that use another host name keep using it. */
  function addressOf(id: string): string {
    return `${basePathOf(context.settings.PUBLIC_URL)}${calls.MANUAL_UPLOADS_PATH}/${id}`;
  }

  /** The response to a creation, after receiving the first bytes if the request has any. */
  async function created(
    id: string,
    request: RequestContext,
    takeFirstBytes: () => Promise<number>,
  ): Promise<Response> {
    const hasBytes = request.request.headers.get("content-type") === BODY_TYPE;
    const answer = new Headers({ location: addressOf(id) });
    if (hasBytes) answer.set("upload-offset", String(await takeFirstBytes()));
    for (const [name, value] of Object.entries(await expiryOf(database, id)))
      answer.set(name, value);
    return new Response(null, { status: 201, headers: answer });
  }

  async function appended(id: string, offset: number): Promise<Response> {
    const headers = { "upload-offset": String(offset), ...(await expiryOf(database, id)) };
    return new Response(null, { status: 204, headers });
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
      const length = readLength(headers);
      const metadata = readMetadata(headers);
      const hasBytes = headers.get("content-type") === BODY_TYPE;
      if (!hasBytes && (readInteger(headers, "Content-Length") ?? 0) > 0)
        throw new ApiError("unsupported_media_type", `First bytes must be ${BODY_TYPE}.`);
      readChecksum(headers);
      const upload = await startManualUpload(context, { length, metadata }, actorOf(request));
      if (!hasBytes && length === 0) await queue.send({ uploadId: upload.id });
      return await created(upload.id, request, () => append(upload, request, 0));
    }),

    /**
     * "The Server MUST always include the Upload-Offset header in the response for a HEAD request,
     * even if the offset is 0 … The Server MUST prevent the client and/or proxies from caching the
     * response by adding the Cache-Control: no-store header" (every response has it).
     * A client that asks has given up its earlier request, whose bytes are stored first. A proof
     * goes on.
     */
    protocolRoute(calls.manualUploadOffset, async ({ params, context: request }) => {
      requireVersion(request.request.headers);
      const asked = await requireUpload(database, params.id);
      requireOwner(asked, request);
      if (asked.offset < asked.length) await manual.interrupt(asked.id);
      const upload = await requireUpload(database, asked.id);
      if (!canGoOn(upload)) throw gone();
      return new Response(null, {
        status: 200,
        headers: {
          "upload-offset": String(upload.offset),
          "upload-length": String(upload.length),
          ...(upload.upload_metadata === null ? {} : { "upload-metadata": upload.upload_metadata }),
          ...(await expiryOf(database, upload.id)),
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
        throw new ApiError("unsupported_media_type", `Bytes must be ${BODY_TYPE}.`);
      const offset = readInteger(headers, "Upload-Offset");
      if (offset === null) throw new ApiError("invalid_request", "Upload-Offset is missing.");
      const found = await requireUpload(database, params.id);
      requireOwner(found, request);
      if (!canGoOn(found)) throw gone();
      if (found.status === "failed") await retryUpload(context, actionInput(found.id, request));
      const upload = await requireUpload(database, found.id);
      if (upload.status === "completed")
        throw new ApiError("conflict", "This upload is complete.", {
          headers: { "upload-offset": String(upload.length) },
        });
      return appended(upload.id, await append(upload, request, offset));
    }),

    /**
     * "When receiving a DELETE request for an existing upload the Server SHOULD free associated
     * resources and MUST respond with the 204 No Content status confirming that the upload was
     * terminated. For all future requests to this URL, the Server SHOULD respond with the 404 Not
     * Found or 410 Gone status." A finished upload's file is deleted in the File Browser.
     */
    protocolRoute(calls.terminateManualUpload, async ({ params, context: request }) => {
      requireVersion(request.request.headers);
      const upload = await requireUpload(database, params.id);
      if (upload.status === "cancelled") throw gone();
      const result = await cancelUpload(context, actionInput(upload.id, request));
      if (result !== "done")
        throw new ApiError("conflict", `This upload is ${upload.status}; it cannot be cancelled.`);
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
