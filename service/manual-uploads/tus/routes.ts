import * as calls from "#contract/manual-uploads.ts";
import { protocolRoute, type ProtocolRoute } from "#service/http/protocol-route.ts";
import type { ManualUploads } from "../manual-uploads.ts";
import { continueUpload } from "./append.ts";
import { cancelManualUpload } from "./cancel.ts";
import { createUpload } from "./create.ts";
import { CHECKSUM_ALGORITHMS, TUS_EXTENSIONS, TUS_VERSION } from "./headers.ts";
import { readOffset } from "./offset.ts";

/**
 * tus 1.0.0 for manual uploads. Each handler quotes the requirements of the protocol
 * (tus.io/protocols/resumable-upload) that it implements.
 */
export function tusRoutes(manual: ManualUploads): ProtocolRoute[] {
  return [
    protocolRoute(calls.discoverManualUploads, discover),
    protocolRoute(calls.discoverManualUpload, discover),
    protocolRoute(calls.createManualUpload, ({ context }) => createUpload(manual, context)),
    protocolRoute(calls.manualUploadOffset, ({ params, context }) =>
      readOffset(manual, params.id, context),
    ),
    protocolRoute(calls.continueManualUpload, ({ params, context }) =>
      continueUpload(manual, params.id, context),
    ),
    protocolRoute(calls.terminateManualUpload, ({ params, context }) =>
      cancelManualUpload(manual, params.id, context),
    ),
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
