import { CALLS } from "#contract/registry.ts";
import { clientAddress } from "./api.ts";
import type { Bindings } from "./bindings.ts";
import { NO_SCHEDULER, openHostedService } from "./hosted-service.ts";

const STREAM_PATHS: ReadonlySet<string> = new Set(
  CALLS.filter((call) => call.stream === true).map((call) => call.path),
);

export function isEventStream(request: Request, pathname: string): boolean {
  return request.method === "GET" && STREAM_PATHS.has(pathname);
}

/**
 * Serves a browser's event stream from a separate service that lives as long as the response. When
 * the browser disconnects, the runtime ends the request and with it the sockets to the hub.
 */
export async function answerEventStream(
  request: Request,
  bindings: Bindings,
  ctx: ExecutionContext,
): Promise<Response> {
  const hosted = await openHostedService(bindings, { scheduler: NO_SCHEDULER });
  hosted.service.start({ streams: true, tasks: false });
  const response = await hosted.service.fetch(request, { clientAddress: clientAddress(request) });
  if (response.ok) {
    ctx.waitUntil(hosted.flush());
    hosted.keepFlushing();
  } else {
    ctx.waitUntil(hosted.end());
  }
  return response;
}
