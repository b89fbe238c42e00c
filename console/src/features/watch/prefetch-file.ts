import type { QueryClient } from "@tanstack/react-query";
import { objectKeySchema } from "#contract/files.ts";
import { fileQuery } from "#console/domain/files/file-query.ts";
import { JUST_ANSWERED_MS } from "#console/lib/query-client.ts";

/** Requests the addresses of an upload's file. */
export async function prefetchFile(
  queryClient: QueryClient,
  fileKey: string | null | undefined,
): Promise<void> {
  const key = objectKeySchema.safeParse(fileKey).data;
  if (key !== undefined)
    await queryClient.prefetchQuery({ ...fileQuery(key), gcTime: JUST_ANSWERED_MS });
}
