import { useQueries } from "@tanstack/react-query";
import { twitchVodIdSchema } from "#contract/ids.ts";
import { previewSource, type SourcePreview } from "#contract/source-preview.ts";
import type { ArchiveSource } from "#contract/uploads.ts";
import { call } from "#console/lib/api-client.ts";
import { channelOf } from "./channel-line.tsx";

/** One line of the field and what the source says of it. */
export type FoundVideo = {
  readonly line: string;
  /** The login of the channel that the line names instead of a video. */
  readonly channel: string | null;
  readonly preview: SourcePreview | undefined;
  readonly error: Error | null;
  /** An earlier line names the same VOD. */
  readonly isRepeated: boolean;
};

export const PREVIEW_KEY = "source preview";

/**
 * At three requests for each, a paste leaves a quarter of the 800 that Twitch allows in a minute to
 * all archives together.
 */
export const MAX_LINES = 200;

/** Each preview is a handful of requests to Twitch. */
const PREVIEWS_AT_ONCE = 3;

/** Addresses have no spaces, so a line may hold several; each is listed once. */
export function linesOf(text: string): readonly string[] {
  return [...new Set(text.split(/\s+/).filter((line) => line !== ""))];
}

/** A VOD's number, an address at Twitch that contains it, or the address of any other video. */
export function sourceOf(line: string): ArchiveSource {
  const vodId = twitchVodIdSchema.safeParse(line);
  if (vodId.success) return { type: "twitch", vodId: vodId.data };
  const host = /^https?:\/\//i.test(line) ? URL.parse(line)?.hostname : undefined;
  const isElsewhere = host !== undefined && !/(?:^|\.)twitch\.tv$/.test(host);
  return isElsewhere ? { type: "url", url: line } : { type: "twitch", url: line };
}

/** Looks each line up once, until it leaves the field or is asked for again. */
export function useFoundVideos(lines: readonly string[]) {
  const results = useQueries({
    queries: lines.map((line) => ({
      queryKey: [PREVIEW_KEY, line],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        inTurn(signal, () => call(previewSource, { body: { source: sourceOf(line) } })),
      enabled: channelOf(line) === null,
      staleTime: Infinity,
      gcTime: 0,
      retry: false,
    })),
  });
  const vodIds = results.map(({ data }) => data?.vodId ?? null);
  const found = lines.map((line, index): FoundVideo => {
    const { data: preview, error = null } = results[index] ?? {};
    const vodId = preview?.vodId ?? null;
    const isRepeated = vodId !== null && vodIds.indexOf(vodId) < index;
    return { line, channel: channelOf(line), preview, error, isRepeated };
  });
  return { found, isLooking: results.some(({ isFetching }) => isFetching) };
}

let previewsRunning = 0;
const waiting: (() => void)[] = [];

async function inTurn<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value> {
  if (previewsRunning < PREVIEWS_AT_ONCE) previewsRunning += 1;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    // The line has left the field.
    signal.throwIfAborted();
    return await work();
  } finally {
    // The next one takes over the place.
    const next = waiting.shift();
    if (next === undefined) previewsRunning -= 1;
    else next();
  }
}
