import { uploadIdSchema } from "#contract/ids.ts";
import { fileQuery } from "#console/domain/files/file-query.ts";
import { videoSourceOf } from "#console/domain/files/stored-file.ts";
import { uploadQuery } from "#console/domain/uploads/upload-query.ts";
import { JUST_ANSWERED_MS } from "#console/lib/query-client.ts";
import type { ScreenOpening } from "#console/lib/screen-opening.ts";
import { openAhead } from "./open-playlist.ts";
import { startOf } from "./player-memory.ts";
import type { WatchSearch } from "./watch-search.ts";

/** Requests an upload with its file, and the beginning of its video. */
export async function prefetchWatch({
  queryClient,
  search,
  params,
  cause,
}: ScreenOpening<WatchSearch>): Promise<void> {
  // Playing uses the file's link, which is audited.
  if (cause === "preload") return;
  const id = uploadIdSchema.safeParse(params["uploadId"]).data;
  if (id === undefined) return;
  const upload = await queryClient.fetchQuery({
    ...uploadQuery(id),
    staleTime: JUST_ANSWERED_MS,
  });
  if (upload.fileKey === null) return;
  const file = await queryClient.fetchQuery({
    ...fileQuery(upload.fileKey),
    gcTime: JUST_ANSWERED_MS,
  });
  const source = videoSourceOf(file);
  if (source?.kind === "playlist") openAhead(source.url, startOf(upload, search.t));
}
