import type { UploadId } from "#contract/ids.ts";
import { getUpload } from "#contract/uploads.ts";
import { callQuery } from "#console/lib/call-query.ts";

export function uploadQuery(id: UploadId) {
  return { ...callQuery(getUpload, { params: { id } }), staleTime: 0 };
}
