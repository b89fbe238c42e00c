import type { QueryClient } from "@tanstack/react-query";
import { objectKeySchema } from "#contract/files.ts";
import { uploadIdSchema } from "#contract/ids.ts";
import { fileQuery } from "#console/domain/files/file-query.ts";
import { uploadQuery } from "#console/domain/uploads/upload-query.ts";
import { JUST_ANSWERED_MS } from "#console/lib/query-client.ts";

/** Requests an upload and its file's addresses. */
export async function prefetchWatch(queryClient: QueryClient, text: string): Promise<void> {
  const id = uploadIdSchema.safeParse(text).data;
  if (id === undefined) return;
  await queryClient.prefetchQuery(uploadQuery(id));
  const upload = queryClient.getQueryData(uploadQuery(id).queryKey);
  const key = objectKeySchema.safeParse(upload?.fileKey).data;
  if (key !== undefined)
    await queryClient.prefetchQuery({ ...fileQuery(key), gcTime: JUST_ANSWERED_MS });
}
