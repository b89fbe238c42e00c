import { TusError } from "./tus-client.ts";

const RETRY_DELAYS_MS = [1_000, 2_000, 5_000, 10_000, 20_000, 30_000];

type Sending = {
  /** Sends the rest of the file; calls `onProgress` after each stored chunk. */
  readonly send: (onProgress: () => void) => Promise<void>;
  /** Forgets the server's upload, so that `send` creates another one. */
  readonly startOver: () => void;
  /** A retry follows after a delay. */
  readonly onWaiting: (error: TusError) => void;
};

/**
 * Retries until everything is sent or `signal` is aborted; throws what no retry can help. An upload
 * that the server no longer has is started over once, and again only after progress: a proxy that
 * answers 404 to every chunk must not fill the server with new uploads.
 */
export async function sendPersistently(
  { send, startOver, onWaiting }: Sending,
  signal: AbortSignal,
): Promise<void> {
  let faults = 0;
  let mayStartOver = true;
  function noteProgress() {
    faults = 0;
    mayStartOver = true;
  }
  while (!signal.aborted) {
    try {
      return await send(noteProgress);
    } catch (error) {
      if (signal.aborted) return;
      if (isGone(error) && mayStartOver) {
        mayStartOver = false;
        startOver();
        continue;
      }
      if (!isPassing(error)) throw error;
      onWaiting(error);
      const { retryAfterSec } = error;
      await sleep(retryAfterSec === null ? delayAfter(faults) : retryAfterSec * 1_000, signal);
      faults += 1;
    }
  }
}

function delayAfter(faults: number): number {
  return RETRY_DELAYS_MS[Math.min(faults, RETRY_DELAYS_MS.length - 1)] ?? 0;
}

/** The server has ended the upload or never had it. */
function isGone(error: unknown): boolean {
  return error instanceof TusError && (error.status === 404 || error.status === 410);
}

/**
 * Worth a retry: no answer, a server error, a rate limit, or another request that still holds it.
 */
function isPassing(error: unknown): error is TusError {
  if (!(error instanceof TusError)) return false;
  return error.status === 0 || error.status >= 500 || [409, 423, 429, 460].includes(error.status);
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
