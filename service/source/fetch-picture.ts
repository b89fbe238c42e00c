import type { PictureType } from "#contract/pictures.ts";
import { pictureTypeOf } from "./picture-type.ts";
import type { MediaFetch } from "./media-fetch.ts";
import { SourceError } from "./source-error.ts";
import { connectionLost, readBytes } from "./upstream-request.ts";

export type Picture = { readonly type: PictureType; readonly bytes: Uint8Array<ArrayBuffer> };

/** A sheet of fifty frames of 220 by 124 pixels has about 300 kB. */
const MAX_PICTURE_BYTES = 1024 * 1024;

/** Fetches a picture from the allowed hosts. @throws {SourceError} also when it is none */
export async function fetchPicture(
  fetchMedia: MediaFetch,
  address: string,
  signal?: AbortSignal,
): Promise<Picture> {
  const bytes = await fetchSmallFile(fetchMedia, address, MAX_PICTURE_BYTES, signal);
  const type = pictureTypeOf(bytes);
  if (type === null)
    throw new SourceError("source_corrupt", "A picture is neither JPEG, PNG nor WebP.");
  return { type, bytes };
}

/** A whole file of at most `maxBytes`. @throws {SourceError} */
export async function fetchSmallFile(
  fetchMedia: MediaFetch,
  address: string,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const { response } = await fetchMedia(address, { signal });
  if (response.status !== 200 || response.body === null) {
    await response.body?.cancel();
    throw new SourceError(
      "try_later",
      `The media host answered with status ${response.status} to a picture's address.`,
    );
  }
  try {
    return await readBytes(response.body, "The media host", maxBytes);
  } catch (error) {
    signal?.throwIfAborted();
    throw error instanceof SourceError ? error : connectionLost("the media host", error);
  }
}
