import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import { inLargeChunks } from "./large-chunks.ts";

/**
 * Requests to other servers. Redirects are returned, not followed, since callers check each
 * address. Cloudflare's own cache is bypassed: a VOD's segments are read once.
 */
export const outgoingFetch: OutgoingFetch = async (url, init = {}) => {
  const headers = new Headers(init.headers);
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "identity");
  const response = await fetch(url, {
    ...init,
    headers,
    redirect: "manual",
    cache: "no-store",
  });
  return response.body === null ? response : new Response(inLargeChunks(response.body), response);
};
