import { queryOptions, skipToken } from "@tanstack/react-query";
import { getFile, getFileProof, type ObjectKey } from "#contract/files.ts";
import { call } from "#console/lib/api-client.ts";
import { callQuery, keyOf } from "#console/lib/call-query.ts";

/** One file with its short-lived links, fetched each time its details open. */
export function fileQuery(key: ObjectKey | null | undefined) {
  return queryOptions({
    queryKey: [...keyOf(getFile), key],
    queryFn: key ? ({ signal }) => call(getFile, { params: { key }, signal }) : skipToken,
    staleTime: Infinity,
    gcTime: 0,
  });
}

export function fileProofQuery(key: ObjectKey) {
  return { ...callQuery(getFileProof, { params: { key } }), gcTime: 0 };
}
