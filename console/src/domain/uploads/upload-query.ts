import { queryOptions } from "@tanstack/react-query";
import type { UploadId } from "#contract/ids.ts";
import { getUpload } from "#contract/uploads.ts";
import { call } from "#console/lib/api-client.ts";
import { uploadKeys } from "#console/lib/query-keys.ts";

export function uploadQuery(id: UploadId) {
  return queryOptions({
    queryKey: uploadKeys.one(id),
    queryFn: ({ signal }) => call(getUpload, { params: { id }, signal }),
    staleTime: 0,
  });
}
