import { errorBodySchema } from "#contract/errors.ts";
import { MANUAL_UPLOADS_PATH } from "#contract/manual-uploads.ts";
import { apiAddress } from "#console/lib/api-address.ts";
import { ApiError } from "#console/lib/api-error.ts";
import { jsonOf } from "#console/lib/api-request.ts";
import { serverNowMs } from "#console/lib/server-clock.ts";
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
/** A renewed session, another request that still holds the upload, a rate limit, a damaged chunk. */
const PASSING_STATUSES = [401, 409, 423, 429, 460];
/** Between attempts without progress; the last one repeats, so that a night's outage fails nothing. */
const RETRY_DELAYS_MS = [1_000, 2_000, 5_000, 10_000, 20_000, 30_000];

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

type Request = {
  readonly method: "POST" | "HEAD" | "PATCH" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Blob;
  readonly signal?: AbortSignal;
};
export type Send = (address: string, request: Request) => Promise<Response>;

/** A request that was refused or cut. */
class RequestError extends Error {
  readonly method: Request["method"];
  readonly status: number | undefined;

  constructor({ method }: Request, message: string, status?: number) {
    super(message);
    this.method = method;
    this.status = status;
  }
}

/**
 * Creates an upload, or resumes the one at `url`, by tus 1.0. What can pass is tried again. Start
 * the returned object only once; open another one to resume.
 */
export function openTusUpload(
  file: File,
  url: string | null,
  listener: Listener,
  send: Send = sendChecked,
) {
  const stop = new AbortController();
  let address = url;
  let chunkBytes = Math.min(FIRST_CHUNK_BYTES, Math.max(MIN_CHUNK_BYTES, file.size));
  let chunksUntilGrowth = 1;
  let failures = 0;

  async function create(): Promise<string> {
    const endpoint = apiAddress(MANUAL_UPLOADS_PATH);
    const name = base64(new TextEncoder().encode(file.name.toWellFormed()));
    const headers = { "Upload-Length": `${file.size}`, "Upload-Metadata": `filename ${name}` };
    const { signal } = stop;
    const created = await ask(send, endpoint, { method: "POST", headers, signal });
    const base = new URL(endpoint, location.href);
    address = new URL(created.headers.get("Location") ?? "", base).href;
    listener.onAddress(address);
    return address;
  }

  async function sendChunk(at: string, offset: number): Promise<number> {
    const body = file.slice(offset, offset + chunkBytes);
    const tooSlow = new AbortController();
    // The smallest may take their time.
    const timer =
      body.size > MIN_CHUNK_BYTES ? setTimeout(() => tooSlow.abort(SLOW), SLOWEST_CHUNK_MS) : 0;
    const beganMs = performance.now();
    listener.onSending();
    try {
      const stored = await ask(send, at, {
        method: "PATCH",
        headers: {
          "Upload-Offset": `${offset}`,
          "Content-Type": "application/offset+octet-stream",
        },
        body,
        signal: AbortSignal.any([stop.signal, tooSlow.signal]),
      });
      chunksUntilGrowth -= 1;
      if (chunksUntilGrowth <= 0 && performance.now() - beganMs < GROWTH_BELOW_MS)
        chunkBytes = Math.min(2 * chunkBytes, MAX_CHUNK_BYTES);
      failures = 0;
      return offsetOf(stored);
    } finally {
      clearTimeout(timer);
    }
  }

  async function sendAll(): Promise<void> {
    const known = address;
    const at = known ?? (await create());
    let offset =
      known === null
        ? 0
        : offsetOf(await ask(send, at, { method: "HEAD", headers: {}, signal: stop.signal }));
    listener.onStored(offset);
    while (offset < file.size) {
      offset = await sendChunk(at, offset);
      listener.onStored(offset);
    }
  }

  /** Whether to try again, with smaller chunks if one did not arrive whole. */
  function mayPass(error: unknown): boolean {
    if (!(error instanceof RequestError))
      return error instanceof ApiError && (error.status === null || error.status >= 500);
    const { method, status } = error;
    const isCut = method === "PATCH" && CUT_STATUSES.includes(status);
    const isSmaller = isCut && chunkBytes > MIN_CHUNK_BYTES;
    if (isCut) {
      chunkBytes = Math.max(chunkBytes / 2, MIN_CHUNK_BYTES);
      chunksUntilGrowth = CHUNKS_UNTIL_GROWTH;
    }
    if (status === 413) return isSmaller;
    return status === undefined || status >= 500 || PASSING_STATUSES.includes(status);
  }

  return {
    async start(): Promise<void> {
      try {
        await sendAll();
        listener.onSent();
      } catch (error) {
        if (stop.signal.aborted) return;
        // Only the answer to HEAD counts: a proxy may answer 404 to every chunk.
        const isAsked = error instanceof RequestError && error.method === "HEAD";
        if (isAsked && [404, 410].includes(error.status ?? 0)) return listener.onGone();
        if (!mayPass(error)) return listener.onFailed(reasonOf(error));
        listener.onWaiting(reasonOf(error));
        const delayMs = RETRY_DELAYS_MS[Math.min(failures, RETRY_DELAYS_MS.length - 1)];
        failures += 1;
        setTimeout(() => !stop.signal.aborted && void this.start(), delayMs);
      }
    },
    stop: () => stop.abort(),
    /** Has the server forget what it has of the file. */
    async remove(): Promise<void> {
      stop.abort();
      if (address !== null) await ask(send, address, { method: "DELETE", headers: {} });
    },
  };
}

const SLOW = "The connection is slow.";

/** Throws `RequestError` unless the request succeeds. */
async function ask(send: Send, address: string, request: Request): Promise<Response> {
  await ensureFreshToken(serverNowMs());
  const token = storedToken();
  const own = {
    "Tus-Resumable": "1.0.0",
    ...(token !== null && { Authorization: `Bearer ${token}` }),
  };
  let response: Response;
  try {
    response = await send(address, { ...request, headers: { ...request.headers, ...own } });
  } catch (cause) {
    if (cause instanceof DOMException && FILE_ERRORS.includes(cause.name)) throw cause;
    const isSlow = request.signal?.reason === SLOW;
    throw new RequestError(request, isSlow ? SLOW : "The server can't be reached.");
  }
  const { ok, status } = response;
  if (ok) return response;
  if (status === 401) await refreshSession(token);
  const body = errorBodySchema.safeParse(jsonOf(await response.text()));
  const fallback =
    status >= 500
      ? "The server is busy or restarting."
      : `The server, or a proxy before it, refused this upload with status ${status}.`;
  throw new RequestError(request, body.success ? body.data.error.message : fallback, status);
}

/**
 * Sends the digest of each chunk along (tus extension "checksum"), so that the server stores exactly
 * what was read here: all of it or nothing. Pages over http from another machine lack WebCrypto.
 */
async function sendChecked(address: string, { body, ...request }: Request): Promise<Response> {
  if (body === undefined) return await fetch(address, request);
  // Fails for a file that has changed.
  const bytes = await body.arrayBuffer();
  if (!isSecureContext) return await fetch(address, { ...request, body: bytes });
  const digest = base64(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
  const headers = { ...request.headers, "Upload-Checksum": `sha256 ${digest}` };
  return await fetch(address, { ...request, headers, body: bytes });
}

function base64(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes));
}

function offsetOf({ headers }: Response): number {
  return Number(headers.get("Upload-Offset"));
}

function reasonOf(error: unknown): string {
  if (error instanceof DOMException) return FILE_CHANGED;
  return error instanceof Error ? error.message : "Unknown error occurred";
}
