import { queryOptions } from "@tanstack/react-query";
import { getFileProof, type ObjectKey } from "#contract/files.ts";
import type { UploadId } from "#contract/ids.ts";
import { call } from "#console/lib/api-client.ts";
import { callQuery } from "#console/lib/call-query.ts";

export function storyboardQuery(id: UploadId) {
  return queryOptions({
    queryKey: ["storyboard", id],
    queryFn: async ({ signal }) => {
      const { getStoryboard } = await import("#contract/pictures.ts");
      return call(getStoryboard, { params: { id }, signal });
    },
    staleTime: Infinity,
  });
}

export function fileProofQuery(key: ObjectKey) {
  return { ...callQuery(getFileProof, { params: { key } }), gcTime: 0 };
}
