import type { QueryClient } from "@tanstack/react-query";
import type { Upload } from "#contract/upload.ts";
import { fileQuery } from "#console/domain/files/file-query.ts";
import { videoSourceOf } from "#console/domain/files/stored-file.ts";
import { JUST_ANSWERED_MS } from "#console/lib/query-client.ts";
import { openAhead } from "./open-playlist.ts";
import { startOf } from "./player-memory.ts";

/** Requests an upload's file, and the beginning of its video. */
export async function prefetchWatch(
  queryClient: QueryClient,
  upload: Upload,
  at: string | null,
): Promise<void> {
  if (upload.fileKey === null) return;
  const file = await queryClient.fetchQuery({
    ...fileQuery(upload.fileKey),
    gcTime: JUST_ANSWERED_MS,
  });
  const source = videoSourceOf(file);
  if (source?.kind === "playlist") openAhead(source.url, startOf(upload, at ?? undefined));
}
