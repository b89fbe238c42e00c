import { ApiError } from "#console/lib/api-error.ts";
import {
  createUpload,
  readOffset,
  removeUpload,
  RequestError,
  sendChecked,
  sendChunk,
  SLOW,
  type Send,
} from "./tus-requests.ts";

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

  async function sendNext(at: string, offset: number): Promise<number> {
    const body = file.slice(offset, offset + chunkBytes);
    const tooSlow = new AbortController();
    // The smallest may take their time.
    const timer =
      body.size > MIN_CHUNK_BYTES ? setTimeout(() => tooSlow.abort(SLOW), SLOWEST_CHUNK_MS) : 0;
    const beganMs = performance.now();
    listener.onSending();
    try {
      const signal = AbortSignal.any([stop.signal, tooSlow.signal]);
      const stored = await sendChunk(send, at, { offset, body, signal });
      chunksUntilGrowth -= 1;
      if (chunksUntilGrowth <= 0 && performance.now() - beganMs < GROWTH_BELOW_MS)
        chunkBytes = Math.min(2 * chunkBytes, MAX_CHUNK_BYTES);
      failures = 0;
      return stored;
    } finally {
      clearTimeout(timer);
    }
  }

  async function sendAll(): Promise<void> {
    const known = address;
    const at = known ?? (await createUpload(send, file, stop.signal));
    address = at;
    if (known === null) listener.onAddress(at);
    let offset = known === null ? 0 : await readOffset(send, at, stop.signal);
    listener.onStored(offset);
    while (offset < file.size) {
      offset = await sendNext(at, offset);
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
    async remove(): Promise<void> {
      stop.abort();
      if (address !== null) await removeUpload(send, address);
    },
  };
}

function reasonOf(error: unknown): string {
  if (error instanceof DOMException) return FILE_CHANGED;
  return error instanceof Error ? error.message : "Unknown error occurred";
}
