import { errorBodySchema } from "#contract/errors.ts";
import { MANUAL_UPLOADS_PATH } from "#contract/manual-uploads.ts";
import { apiAddress } from "#console/lib/api-address.ts";
import { jsonOf } from "#console/lib/api-request.ts";
import { serverNowMs } from "#console/lib/server-clock.ts";
import { ensureFreshToken, refreshSession } from "#console/lib/session-refresh.ts";
import { storedToken } from "#console/lib/session-store.ts";

// The four requests of tus 1.0 that sending a file needs. Each throws `RequestError` unless it
// succeeds.

/** Of reading a file that is not the one any more that was chosen (File API, section 8.1). */
const FILE_ERRORS: readonly string[] = ["NotReadableError", "NotFoundError"];

type Request = {
  readonly method: "POST" | "HEAD" | "PATCH" | "DELETE";
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Blob;
  readonly signal?: AbortSignal;
};
export type Send = (address: string, request: Request) => Promise<Response>;

/** A request that was refused or cut. */
export class RequestError extends Error {
  readonly method: Request["method"];
  readonly status: number | undefined;

  constructor({ method }: Request, message: string, status?: number) {
    super(message);
    this.method = method;
    this.status = status;
  }
}

/** Returns the upload's address. */
export async function createUpload(send: Send, file: File, signal: AbortSignal): Promise<string> {
  const endpoint = apiAddress(MANUAL_UPLOADS_PATH);
  const name = base64(new TextEncoder().encode(file.name.toWellFormed()));
  const headers = { "Upload-Length": `${file.size}`, "Upload-Metadata": `filename ${name}` };
  const created = await ask(send, endpoint, { method: "POST", headers, signal });
  const base = new URL(endpoint, location.href);
  return new URL(created.headers.get("Location") ?? "", base).href;
}

/** How much of the file the server has. */
export async function readOffset(
  send: Send,
  address: string,
  signal: AbortSignal,
): Promise<number> {
  return offsetOf(await ask(send, address, { method: "HEAD", headers: {}, signal }));
}

/** Returns how much the server has afterwards. */
export async function sendChunk(
  send: Send,
  address: string,
  chunk: { readonly offset: number; readonly body: Blob; readonly signal: AbortSignal },
): Promise<number> {
  const { offset, ...request } = chunk;
  const headers = {
    "Upload-Offset": `${offset}`,
    "Content-Type": "application/offset+octet-stream",
  };
  return offsetOf(await ask(send, address, { method: "PATCH", headers, ...request }));
}

/** Has the server forget what it has of the file. */
export async function removeUpload(send: Send, address: string): Promise<void> {
  await ask(send, address, { method: "DELETE", headers: {} });
}

/** Why a signal ends a request that takes too long, and what is said of it. */
export const SLOW = "The connection is slow.";

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
export async function sendChecked(
  address: string,
  { body, ...request }: Request,
): Promise<Response> {
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
  const offset = headers.get("Upload-Offset");
  if (offset === null) throw new Error("The server's answer does not say how much it has.");
  return Number(offset);
}
