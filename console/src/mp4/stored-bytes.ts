import { Mp4Error } from "./mp4-error.ts";
import type { StoredBytes } from "./remux.ts";

/** Pauses before a request is repeated: half a minute in all. */
const RETRY_AFTER_MS = [500, 1_000, 2_000, 4_000, 8_000, 16_000];

/** Where a stored object is served, for a limited time (docs/decisions/0023-media-grants.md). */
export type StoredVideo = {
  readonly objectUrl: string;
  /** Null for files without a playlist beside them. */
  readonly playlistUrl: string | null;
};

export type Addresses = {
  readonly current: () => StoredVideo;
  /** Replaces addresses that the service refused. Rejects if the file may no longer be read. */
  readonly renew: (refused: StoredVideo) => Promise<void>;
};

/** The stored object, read by range requests only. */
export function storedBytes(
  addresses: Addresses,
  sizeBytes: number,
  signal: AbortSignal,
  onBytes: (count: number) => void,
): StoredBytes {
  return {
    getSize: () => sizeBytes,
    // Two requests of at most 8 MiB run at a time (mediabunny, profile "network").
    prefetchProfile: "network",
    maxCacheSize: 32 * 2 ** 20,
    read: async (start, end) => {
      const range = `bytes=${start}-${end - 1}`;
      const bytes = await fetchAgain(addresses, signal, async ({ objectUrl }) => {
        const response = await fetch(objectUrl, { headers: { range }, signal });
        if (response.ok && response.status !== 206) {
          await response.body?.cancel();
          throw new Mp4Error("The store does not serve parts of this file.");
        }
        return response;
      });
      if (bytes.length !== end - start) throw new Mp4Error("The stored file has changed.");
      onBytes(bytes.length);
      return bytes;
    },
    // A prefetched range that fails is requested again when it is needed.
    handleUnhandledError: () => undefined,
  };
}

/** The body of a response, requested again after failures that pass. */
export async function fetchAgain(
  addresses: Addresses,
  signal: AbortSignal,
  request: (video: StoredVideo) => Promise<Response>,
): Promise<Uint8Array> {
  for (let attempt = 0; ; attempt += 1) {
    const video = addresses.current();
    const isLast = attempt === RETRY_AFTER_MS.length;
    try {
      const response = await request(video);
      if (response.ok) return new Uint8Array(await response.arrayBuffer());
      if (isLast) break;
      if (response.status < 500 && response.status !== 429) await addresses.renew(video);
    } catch (error) {
      if (isLast || signal.aborted || error instanceof Mp4Error) throw error;
    }
    await pause(RETRY_AFTER_MS[attempt] ?? 0, signal);
  }
  throw new Mp4Error("The stored file could not be read.");
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("Cancelled", "AbortError"));
    });
  });
}
