import { errorBodySchema } from "#contract/errors.ts";
import { MANUAL_UPLOADS_PATH } from "#contract/manual-uploads.ts";
import { apiAddress } from "#console/lib/api-request.ts";
import { ensureFreshToken, refreshSession } from "#console/lib/session-refresh.ts";
import { storedToken } from "#console/lib/session-store.ts";

/**
 * Client side of tus 1.0.0 (tus.io/protocols/resumable-upload), as far as the console needs it.
 * Uses XMLHttpRequest, because fetch does not report upload progress.
 */

export class TusError extends Error {
  override readonly name = "TusError";
  /** 0: the server was unreachable. */
  readonly status: number;
  readonly retryAfterSec: number | null;

  constructor(status: number, message: string, retryAfterSec: number | null = null) {
    super(message);
    this.status = status;
    this.retryAfterSec = retryAfterSec;
  }
}

type TusRequest = {
  readonly method: "POST" | "HEAD" | "PATCH" | "DELETE";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Blob;
  readonly signal?: AbortSignal;
  readonly onSent?: (sentBytes: number) => void;
};

/** Returns the new upload's path. */
export async function createUpload(file: File, signal: AbortSignal): Promise<string> {
  const answer = await ask({
    method: "POST",
    path: MANUAL_UPLOADS_PATH,
    headers: {
      "Upload-Length": String(file.size),
      "Upload-Metadata": `filename ${base64(file.name)}`,
    },
    signal,
  });
  // Without the server's base path, which calls add themselves.
  const [path] =
    /\/admin\/uploads\/manual\/[^/]+$/.exec(answer.getResponseHeader("Location") ?? "") ?? [];
  if (path === undefined) throw new TusError(answer.status, "The server sent no upload address.");
  return path;
}

export async function readOffset(path: string, signal: AbortSignal): Promise<number> {
  return offsetOf(await ask({ method: "HEAD", path, signal }));
}

/**
 * Returns the offset after these bytes. Their digest is sent along, so that the server stores
 * exactly what was read here: all of it or nothing.
 */
export async function sendBytes(
  path: string,
  offset: number,
  body: Blob,
  signal: AbortSignal,
  onSent: (sentBytes: number) => void,
): Promise<number> {
  const headers = {
    "Upload-Offset": String(offset),
    "Content-Type": "application/offset+octet-stream",
    ...(await checksumOf(body)),
  };
  return offsetOf(await ask({ method: "PATCH", path, headers, body, signal, onSent }));
}

/** Empty without WebCrypto, i.e. on a page over http from another machine. */
async function checksumOf(body: Blob): Promise<Record<string, string>> {
  if (!isSecureContext) return {};
  const digest = await crypto.subtle.digest("SHA-256", await body.arrayBuffer());
  return { "Upload-Checksum": `sha256 ${btoa(String.fromCharCode(...new Uint8Array(digest)))}` };
}

export async function terminateUpload(path: string): Promise<void> {
  await ask({ method: "DELETE", path });
}

/** Like call(): a rejected bearer is renewed once. */
async function ask(request: TusRequest): Promise<XMLHttpRequest> {
  await ensureFreshToken(Date.now());
  const token = storedToken();
  try {
    return await send(request, token);
  } catch (error) {
    if (!(error instanceof TusError) || error.status !== 401) throw error;
  }
  await refreshSession(token);
  return await send(request, storedToken());
}

function send(request: TusRequest, token: string | null): Promise<XMLHttpRequest> {
  const { signal } = request;
  return new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest();
    xhr.open(request.method, apiAddress(request.path));
    xhr.withCredentials = true;
    xhr.setRequestHeader("Tus-Resumable", "1.0.0");
    if (token !== null) xhr.setRequestHeader("Authorization", `Bearer ${token}`);
    for (const [name, value] of Object.entries(request.headers ?? {}))
      xhr.setRequestHeader(name, value);
    const stop = () => xhr.abort();
    signal?.addEventListener("abort", stop, { once: true });
    xhr.upload.addEventListener("progress", (event) => request.onSent?.(event.loaded));
    xhr.addEventListener("loadend", () => {
      signal?.removeEventListener("abort", stop);
      if (xhr.status >= 200 && xhr.status < 300) resolve(xhr);
      else reject(refusalOf(xhr));
    });
    if (signal?.aborted === true) reject(new TusError(0, "Stopped"));
    else xhr.send(request.body ?? null);
  });
}

function refusalOf(xhr: XMLHttpRequest): TusError {
  if (xhr.status === 0) return new TusError(0, "The server can't be reached.");
  const retryAfter = Number(xhr.getResponseHeader("Retry-After") ?? Number.NaN);
  return new TusError(
    xhr.status,
    messageIn(xhr.responseText) ?? "The server refused this upload.",
    Number.isFinite(retryAfter) ? retryAfter : null,
  );
}

function messageIn(text: string): string | null {
  try {
    const body = errorBodySchema.safeParse(JSON.parse(text));
    return body.success ? body.data.error.message : null;
  } catch {
    return null;
  }
}

function offsetOf(xhr: XMLHttpRequest): number {
  const offset = Number(xhr.getResponseHeader("Upload-Offset") ?? Number.NaN);
  if (!Number.isSafeInteger(offset)) throw new TusError(xhr.status, "The server sent no offset.");
  return offset;
}

function base64(text: string): string {
  const bytes = new TextEncoder().encode(text.toWellFormed());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
