import { mediaTypeOf } from "#service/http/media-type.ts";
import { BODY_TYPE } from "#service/manual-uploads/tus/headers.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { schedulerOf, type Bindings } from "./bindings.ts";
import { NO_SCHEDULER, openHostedService, type HostedService } from "./hosted-service.ts";
import { inLargeChunks } from "./large-chunks.ts";
import { learnPartTags } from "./part-tags.ts";
import { createSharedStart } from "./shared-start.ts";

/** The runtime ends a request 30 s after its client disconnected, along with work it started. */
const START_WITHIN_MS = 25_000;

/**
 * Each isolate shares one service among API calls, so that rate limits and Twitch's app token last
 * from one request to the next. It keeps no socket, timer or stream between requests: those belong
 * to the request that created them. Requests are finished even after the client disconnects,
 * because another request may wait for the token that they fetch.
 */
const shareStart = createSharedStart<HostedService>(systemClock, START_WITHIN_MS);

let isSettling = false;

/** Long enough to batch the counts of many requests; `waitUntil` allows up to 30 s. */
const SETTLE_AFTER_MS = 2_000;

export async function answerCall(
  request: Request,
  bindings: Bindings,
  ctx: ExecutionContext,
): Promise<Response> {
  const hosted = await openShared(bindings, ctx);
  if (mediaTypeOf(request.headers) === BODY_TYPE) await learnPartTags(bindings);
  const answering = hosted.service.fetch(withLargeChunks(request), {
    clientAddress: clientAddress(request),
  });
  ctx.waitUntil(answering);
  if (!isSettling) {
    isSettling = true;
    ctx.waitUntil(settleLater(hosted));
  }
  return await answering;
}

/** A client resends at most this much of an upload chunk after its connection broke. */
const LEAST_REQUEST_CHUNK_BYTES = 64 * 1024;

/** Other methods have short bodies or none; some of their requests cannot be reconstructed. */
const METHODS_WITH_BODY: ReadonlySet<string> = new Set(["POST", "PATCH", "PUT"]);

function withLargeChunks(request: Request): Request {
  const { body, method } = request;
  if (body === null || !METHODS_WITH_BODY.has(method)) return request;
  return new Request(request, { method, body: inLargeChunks(body, LEAST_REQUEST_CHUNK_BYTES) });
}

async function settleLater(hosted: HostedService): Promise<void> {
  await systemClock.sleep(SETTLE_AFTER_MS);
  isSettling = false;
  await hosted.flush();
}

/** The isolate's service, for calls and for waiting work. */
export function openShared(bindings: Bindings, ctx: ExecutionContext): Promise<HostedService> {
  const opened = shareStart(() => open(bindings));
  ctx.waitUntil(opened);
  return opened;
}

async function open(bindings: Bindings): Promise<HostedService> {
  // The first request to a new deployment waits for its schema.
  await schedulerOf(bindings).wake();
  return await openHostedService(bindings, { scheduler: NO_SCHEDULER });
}

/** Set by Cloudflare (developers.cloudflare.com/fundamentals/reference/http-headers). */
export function clientAddress(request: Request): string {
  return request.headers.get("cf-connecting-ip") ?? "unknown";
}
