import type { MediaPlaylist } from "./media-playlist.ts";
import { parseMediaPlaylist } from "./parse-media-playlist.ts";
import { MAX_PLAYLIST_BYTES } from "./playlist-text.ts";
import type { MediaFetch } from "./media-fetch.ts";
import { blockedSentence, isRefusal, readRefusal } from "./refusal.ts";
import { readRetryAfterMs } from "./retry-after.ts";
import { OutdatedAddress, SourceError } from "./source-error.ts";
import { connectionLost, readText } from "./upstream-request.ts";

/** Enough for the largest playlist on a slow connection; most have a few hundred kB. */
const PLAYLIST_TIMEOUT_MS = 30_000;

/** `url` is the final address, against which relative URIs resolve. */
export type PlaylistText = { readonly text: string; readonly url: string };

/** Fetches and parses one rendition's playlist. @throws {SourceError} */
export async function readPlaylist(
  fetchMedia: MediaFetch,
  addresses: readonly string[],
  nowMs: number,
  signal?: AbortSignal,
): Promise<MediaPlaylist> {
  const { text, url } = await readPlaylistText(fetchMedia, addresses, nowMs, signal);
  return parseMediaPlaylist(text, url);
}

/**
 * Fetches a playlist from the first of `addresses` where the media host has one.
 * @throws {OutdatedAddress} if it has none
 * @throws {SourceError} `try_later` if the host does not answer, or refuses this service
 */
export async function readPlaylistText(
  fetchMedia: MediaFetch,
  addresses: readonly string[],
  nowMs: number,
  signal?: AbortSignal,
): Promise<PlaylistText> {
  const deadline = AbortSignal.timeout(PLAYLIST_TIMEOUT_MS);
  const either = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
  try {
    return await fetchPlaylist(fetchMedia, [...new Set(addresses)], nowMs, either);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof SourceError) throw error;
    throw connectionLost("the media host", error);
  }
}

async function fetchPlaylist(
  fetchMedia: MediaFetch,
  [address = "", ...others]: readonly string[],
  nowMs: number,
  signal: AbortSignal,
): Promise<PlaylistText> {
  const { response, url } = await fetchMedia(address, { signal });
  if (response.status === 200)
    return { text: await readText(response, "The media host", MAX_PLAYLIST_BYTES), url };
  const { status } = response;
  const retryAfterMs = readRetryAfterMs(response.headers, nowMs);
  if (isRefusal(status)) {
    const refusal = await readRefusal(response);
    if (refusal.meaning === "blocked")
      throw new SourceError("try_later", blockedSentence("The media host", url, status, refusal), {
        retryAfterMs,
      });
    if (others.length > 0) return await fetchPlaylist(fetchMedia, others, nowMs, signal);
    throw new OutdatedAddress(`The media host has no playlist at its address (${status}).`);
  }
  await response.body?.cancel();
  throw new SourceError(
    "try_later",
    `The media host answered with status ${status} to the playlist's address.`,
    { retryAfterMs },
  );
}
