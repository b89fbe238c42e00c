import * as z from "zod/mini";
import { storyboardSchema, type Storyboard } from "#contract/pictures.ts";
import type { TwitchVodId } from "#contract/ids.ts";
import { fetchPicture, fetchSmallFile } from "#service/source/fetch-picture.ts";
import type { MediaFetch } from "#service/source/media-fetch.ts";
import { SourceError } from "#service/source/source-error.ts";
import type { SourceStoryboard } from "#service/source/source.ts";
import type { GqlClient } from "./gql-client.ts";
import { seekPreviews } from "./gql-operation.ts";
import { parseJson } from "#service/parse-json.ts";

/** Twitch draws at most 200 frames on four sheets; twice as many sheets are accepted. */
const MAX_SHEETS = 8;
const MAX_INDEX_BYTES = 64 * 1024;

const addressSchema = z.object({
  video: z.nullable(z.object({ id: z.string(), seekPreviewsURL: z.nullish(z.string()) })),
});

/** One size of frames, and its sheets as file names beside the index. */
const sizeSchema = z.object({
  count: z.int(),
  interval: z.number(),
  width: z.int(),
  height: z.int(),
  cols: z.int(),
  rows: z.int(),
  images: z.array(z.string().check(z.regex(/^[\w.-]{1,200}$/))).check(z.maxLength(MAX_SHEETS)),
});

/**
 * Reads the frames that Twitch's player shows while seeking, in the largest size offered
 * (docs/twitch.md#storyboards). Null if the VOD has none. @throws {SourceError}
 */
export async function readStoryboard(
  gql: GqlClient,
  fetchMedia: MediaFetch,
  vodId: TwitchVodId,
  signal?: AbortSignal,
): Promise<SourceStoryboard | null> {
  const { video } = await gql.ask(
    { operation: seekPreviews, variables: { videoID: vodId }, signal },
    addressSchema,
  );
  const address = video?.id === vodId ? (video.seekPreviewsURL ?? "") : "";
  if (address === "") return null;
  const text = await fetchSmallFile(fetchMedia, address, MAX_INDEX_BYTES, signal);
  const offered = parseJson(z.array(z.unknown()), new TextDecoder().decode(text)) ?? [];
  const [best] = offered
    .flatMap(describeSize)
    .sort((left, right) => right.frameWidth - left.frameWidth);
  if (best === undefined)
    throw new SourceError("source_corrupt", "Twitch's list of storyboards is invalid.");
  const sheets = await Promise.all(
    best.sheets.map((name) => fetchPicture(fetchMedia, new URL(name, address).href, signal)),
  );
  return { ...best, sheets };
}

/** A storyboard with file names for sheets; nothing if the size cannot be read. */
function describeSize(size: unknown): readonly Storyboard[] {
  const { data } = z.safeParse(sizeSchema, size);
  if (data === undefined) return [];
  const described = z.safeParse(storyboardSchema, {
    intervalSec: data.interval,
    frames: data.count,
    frameWidth: data.width,
    frameHeight: data.height,
    columns: data.cols,
    rows: data.rows,
    sheets: data.images,
  });
  return described.success ? [described.data] : [];
}
