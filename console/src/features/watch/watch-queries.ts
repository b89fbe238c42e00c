import { queryOptions } from "@tanstack/react-query";
import type { UploadId } from "#contract/ids.ts";
import { call } from "#console/lib/api-client.ts";

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
