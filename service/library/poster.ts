import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import { fetchPicture, type Picture } from "#service/source/fetch-picture.ts";
import { createMediaFetch } from "#service/source/media-fetch.ts";
import { SourceError } from "#service/source/source-error.ts";
import type { Settings } from "#service/settings.ts";
import { mediaHostsOf } from "#service/twitch/twitch-source.ts";
import type { LibraryChannel } from "./library-path.ts";

const WITHIN_MS = 30_000;

/** The owner's picture, which media servers show for the channel; null if there is none to be had. */
export async function readPoster(
  fetch: OutgoingFetch,
  settings: Pick<Settings, "TWITCH_MEDIA_HOSTS">,
  { profileImageUrl }: LibraryChannel,
): Promise<Picture | null> {
  if (profileImageUrl === null) return null;
  const timeout = AbortSignal.timeout(WITHIN_MS);
  try {
    const fetchMedia = createMediaFetch(fetch, mediaHostsOf(settings));
    return await fetchPicture(fetchMedia, profileImageUrl, timeout);
  } catch (error) {
    if (!timeout.aborted && !(error instanceof SourceError)) throw error;
    return null;
  }
}
