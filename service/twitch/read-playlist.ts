import type { MediaPlaylist } from "#service/hls/media-playlist.ts";
import { parseMediaPlaylist } from "#service/hls/parse-media-playlist.ts";
import { MAX_PLAYLIST_BYTES } from "#service/hls/playlist-text.ts";
import type { MediaFetch } from "./media-fetch.ts";
import { readRetryAfterMs } from "./retry-after.ts";
import { SourceError } from "#service/hls/source-error.ts";
import type { Rendition } from "./twitch-client.ts";
import { connectionLost, readText } from "./upstream-request.ts";

/** Enough for the largest playlist on a slow connection; most have a few hundred kB. */
const PLAYLIST_TIMEOUT_MS = 30_000;

/**
 * Fetches and parses one rendition's playlist.
 *
 * A 403 or 404 only means that this address is outdated, because playlists are renamed when parts
 * are muted. It is `try_later`, and `openPlayback` then tells whether the VOD is gone. The names of
 * old muted highlights never worked; for these the name without its muted part is tried
 * (docs/twitch.md#muted-segments).
 * @throws {SourceError}
 */
export async function readPlaylist(
  fetchMedia: MediaFetch,
  rendition: Rendition,
  nowMs: number,
  signal?: AbortSignal,
): Promise<MediaPlaylist> {
  const deadline = AbortSignal.timeout(PLAYLIST_TIMEOUT_MS);
  const either = signal === undefined ? deadline : AbortSignal.any([signal, deadline]);
  try {
    return await fetchPlaylist(fetchMedia, rendition.playlistUrl, nowMs, either);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof SourceError) throw error;
    throw connectionLost("the media host", error);
  }
}

async function fetchPlaylist(
  fetchMedia: MediaFetch,
  playlistUrl: string,
  nowMs: number,
  signal: AbortSignal,
): Promise<MediaPlaylist> {
  const { response, url } = await fetchMedia(playlistUrl, { signal });
  if (response.status === 200) {
    const text = await readText(response, "The media host", MAX_PLAYLIST_BYTES);
    return parseMediaPlaylist(text, url);
  }
  await response.body?.cancel();
  const unmutedName = playlistUrl.replace(/(\/highlight-\d+)-muted-\w+(?=\.m3u8$)/, "$1");
  if ((response.status === 403 || response.status === 404) && unmutedName !== playlistUrl)
    return await fetchPlaylist(fetchMedia, unmutedName, nowMs, signal);
  throw new SourceError(
    "try_later",
    `The media host answered with status ${response.status} to the playlist's address.`,
    { retryAfterMs: readRetryAfterMs(response.headers, nowMs) },
  );
}
