import { serverNowMs } from "#console/lib/server-clock.ts";
import {
  DefaultHttpStack,
  DetailedError,
  Upload,
  type HttpRequest,
  type HttpStack,
} from "tus-js-client";
import { errorBodySchema } from "#contract/errors.ts";
import { MANUAL_UPLOADS_PATH } from "#contract/manual-uploads.ts";
import { ApiError } from "#console/lib/api-error.ts";
import { apiAddress } from "#console/lib/api-address.ts";
import { jsonOf } from "#console/lib/api-request.ts";
import { ensureFreshToken, refreshSession } from "#console/lib/session-refresh.ts";
import { storedToken } from "#console/lib/session-store.ts";

/** The most that a pause or lost connection repeats: each request is stored whole or not at all. */
const MAX_CHUNK_BYTES = 8 * 1024 * 1024;
/** 30 s at 70 kbit/s: a proxy's limit for a request, on a very slow line. */
const MIN_CHUNK_BYTES = 256 * 1024;
/** Until the line has shown what it carries. */
const FIRST_CHUNK_BYTES = 1024 * 1024;
/** A chunk of twice the size then stays below {@link SLOWEST_CHUNK_MS}. */
const GROWTH_BELOW_MS = 5_000;
/** After a cut, a chunk that is too large again costs one in so many. */
const CHUNKS_UNTIL_GROWTH = 8;
/** Proxies cut requests from 20 s on, and a browser may hear of it minutes later. */
const SLOWEST_CHUNK_MS = 15_000;

/** Of a request cut by the network or a proxy: 460 is the service's answer to a part of a chunk. */
const CUT_STATUSES: readonly (number | undefined)[] = [undefined, 408, 413, 460, 502, 504];

/** Between attempts without progress. They last for days, so that a night's outage fails nothing. */
const RETRY_DELAYS_MS = [
  1_000,
  2_000,
  5_000,
  10_000,
  20_000,
  ...Array<number>(10_000).fill(30_000),
];

/** Of reading a file that is not the one any more that was chosen (File API, section 8.1). */
const FILE_ERRORS: readonly string[] = ["NotReadableError", "NotFoundError"];
const FILE_CHANGED =
  "This file was changed, moved or deleted while it was being sent. Choose it again to send it as it is now.";

type Listener = {
  readonly onAddress: (url: string) => void;
  readonly onSending: () => void;
  readonly onStored: (storedBytes: number) => void;
  /** A retry follows after a delay. */
  readonly onWaiting: (reason: string) => void;
  readonly onSent: () => void;
  /** The server no longer has the upload. */
  readonly onGone: () => void;
  readonly onFailed: (reason: string) => void;
};

/**
 * Creates an upload, or resumes the one at `url`, with tus-js-client. Temporary errors are retried.
 * Start the returned object only once; open another one to resume.
 */
export function openTusUpload(
  file: File,
  url: string | null,
  listener: Listener,
  httpStack: HttpStack = new ChecksumHttpStack({}),
): Upload {
  let chunkBytes = Math.min(FIRST_CHUNK_BYTES, Math.max(MIN_CHUNK_BYTES, file.size));
  let chunksUntilGrowth = 1;
  let chunkBeganMs = 0;

  function resizeChunks(bytes: number): void {
    chunkBytes = Math.max(MIN_CHUNK_BYTES, Math.min(bytes, MAX_CHUNK_BYTES));
    // The library reads it before each request.
    upload.options.chunkSize = chunkBytes;
  }

  const upload: Upload = new Upload(file, {
    endpoint: url === null ? apiAddress(MANUAL_UPLOADS_PATH) : null,
    uploadUrl: url,
    metadata: { filename: file.name.toWellFormed() },
    chunkSize: chunkBytes,
    retryDelays: RETRY_DELAYS_MS,
    storeFingerprintForResuming: false,
    httpStack: inTime(httpStack),
    async onBeforeRequest(request) {
      await ensureFreshToken(serverNowMs());
      const token = storedToken();
      if (token !== null) request.setHeader("Authorization", `Bearer ${token}`);
      chunkBeganMs = performance.now();
    },
    async onAfterResponse(request, response) {
      const offset = response.getHeader("Upload-Offset") ?? null;
      if (offset !== null) listener.onStored(Number(offset));
      if (response.getStatus() !== 401) return;
      await refreshSession(request.getHeader("Authorization")?.replace("Bearer ", "") ?? null);
    },
    onUploadUrlAvailable() {
      // With an endpoint, the library replaces an upload whenever its offset can't be read.
      upload.options.endpoint = null;
      if (upload.url !== null) listener.onAddress(upload.url);
    },
    onProgress: listener.onSending,
    onSuccess: listener.onSent,
    onChunkComplete() {
      chunksUntilGrowth -= 1;
      if (chunksUntilGrowth <= 0 && performance.now() - chunkBeganMs < GROWTH_BELOW_MS)
        resizeChunks(2 * chunkBytes);
    },
    onShouldRetry(error) {
      const trouble = troubleOf(error);
      const isSmaller = isCutChunk(error) && chunkBytes > MIN_CHUNK_BYTES;
      if (isCutChunk(error)) {
        resizeChunks(chunkBytes / 2);
        chunksUntilGrowth = CHUNKS_UNTIL_GROWTH;
      }
      const mayPass = trouble.mayPass || (isSmaller && isTooLarge(error));
      if (mayPass) listener.onWaiting(trouble.reason);
      return mayPass;
    },
    onError(error) {
      if (isGone(error)) listener.onGone();
      else listener.onFailed(troubleOf(error).reason);
    },
  });
  return upload;
}

/** Cancels requests for chunks that take too long, as if the line had cut them; the smallest may take their time. */
function inTime(stack: HttpStack): HttpStack {
  return {
    getName: () => stack.getName(),
    createRequest(method, url) {
      const request = stack.createRequest(method, url);
      const send = request.send.bind(request);
      request.send = async (body: unknown) => {
        if (!(body instanceof Blob) || body.size <= MIN_CHUNK_BYTES) return await send(body);
        const { promise: cut, reject } = Promise.withResolvers<never>();
        const timer = setTimeout(() => {
          reject(new ProgressEvent("timeout"));
          void request.abort();
        }, SLOWEST_CHUNK_MS);
        try {
          return await Promise.race([send(body), cut]);
        } finally {
          clearTimeout(timer);
        }
      };
      return request;
    },
  };
}

/**
 * Sends the digest of each chunk along (tus extension "checksum"), so that the server stores exactly
 * what was read here: all of it or nothing. Pages over http from another machine lack WebCrypto.
 */
class ChecksumHttpStack extends DefaultHttpStack {
  override createRequest(method: string, url: string): HttpRequest {
    const request = super.createRequest(method, url);
    const send = request.send.bind(request);
    request.send = async (body: unknown) => {
      // Fails for a file that has changed, which the request would report as a lost connection.
      const bytes = body instanceof Blob ? await body.arrayBuffer() : null;
      if (bytes !== null && isSecureContext) {
        const digest = await crypto.subtle.digest("SHA-256", bytes);
        const text = btoa(String.fromCharCode(...new Uint8Array(digest)));
        request.setHeader("Upload-Checksum", `sha256 ${text}`);
      }
      return send(body);
    };
    return request;
  }
}

/** Only the answer to HEAD counts: a proxy may answer 404 to every chunk. */
function isGone(error: Error): boolean {
  if (!(error instanceof DetailedError) || error.originalRequest.getMethod() !== "HEAD")
    return false;
  return [404, 410].includes(error.originalResponse?.getStatus() ?? 0);
}

/** Whether a chunk did not arrive whole, so that a smaller one may. */
function isCutChunk(error: Error): boolean {
  if (!(error instanceof DetailedError) || error.originalRequest.getMethod() !== "PATCH")
    return false;
  const isUnsent = error.causingError instanceof DOMException;
  return !isUnsent && CUT_STATUSES.includes(error.originalResponse?.getStatus());
}

/** A proxy's limit for a request's body; the service accepts every chunk. */
function isTooLarge(error: Error): boolean {
  return error instanceof DetailedError && error.originalResponse?.getStatus() === 413;
}

/**
 * Worth a retry: no answer, a renewed session, a server error, a rate limit, a damaged chunk, or
 * another request that still holds the upload.
 */
function troubleOf(error: Error): { readonly reason: string; readonly mayPass: boolean } {
  const response = error instanceof DetailedError ? error.originalResponse : null;
  if (response !== null) {
    const status = response.getStatus();
    const body = errorBodySchema.safeParse(jsonOf(response.getBody()));
    const mayPass = status >= 500 || [401, 409, 423, 429, 460].includes(status);
    const fallback = mayPass
      ? "The server is busy or restarting."
      : `The server, or a proxy before it, refused this upload with status ${status}.`;
    return { reason: body.success ? body.data.error.message : fallback, mayPass };
  }
  // Without a connection the cause is the request's event.
  const cause: unknown = error instanceof DetailedError ? error.causingError : error;
  if (cause instanceof DOMException && FILE_ERRORS.includes(cause.name))
    return { reason: FILE_CHANGED, mayPass: false };
  if (!(cause instanceof Error)) {
    const isSlow = cause instanceof ProgressEvent && cause.type === "timeout";
    const reason = isSlow ? "The connection is slow." : "The server can't be reached.";
    return { reason, mayPass: true };
  }
  const isPassing = cause instanceof ApiError && (cause.status === null || cause.status >= 500);
  return { reason: cause.message, mayPass: isPassing };
}
