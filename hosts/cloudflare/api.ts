import { systemClock } from "#hosts/ports/clock.ts";
import { schedulerOf, type Bindings } from "./bindings.ts";
import { NO_SCHEDULER, openHostedService, type HostedService } from "./hosted-service.ts";
import { inLargeChunks } from "./large-chunks.ts";
import { learnPartTags } from "./part-tags.ts";
import { createSharedStart } from "./shared-start.ts";

/** A request whose sender has left is ended after 30 s, and with it what it had begun. */
const START_WITHIN_MS = 25_000;

/**
 * One service an isolate answers calls, so that limits on requests and what Twitch last said hold
 * from one to the next. It holds no socket, timer or stream between requests: those belong to the
 * request that made them. Requests of people who have gone are still finished, because another one
 * may wait for the same answer of Twitch's.
 */
const shareStart = createSharedStart<HostedService>(systemClock, START_WITHIN_MS);

let isSettling = false;

/** The type of tus bodies. */
const UPLOADED_BYTES = "application/offset+octet-stream";

/** Long enough to write many requests' counts at once; a Worker may live on for 30 s. */
const SETTLE_AFTER_MS = 2_000;

export async function answerCall(
  request: Request,
  bindings: Bindings,
  ctx: ExecutionContext,
): Promise<Response> {
  const hosted = await openApi(bindings, ctx);
  if (request.headers.get("content-type") === UPLOADED_BYTES) await learnPartTags(bindings);
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

/** Of an uploaded piece whose line breaks so much may have to be sent again. */
const LEAST_REQUEST_CHUNK_BYTES = 64 * 1024;

/** Bodies of other methods are short, or not to be there; some of those cannot be made anew. */
const METHODS_WITH_BODY: ReadonlySet<string> = new Set(["POST", "PATCH", "PUT"]);

function withLargeChunks(request: Request): Request {
  const { body, method } = request;
  if (body === null || !METHODS_WITH_BODY.has(method)) return request;
  return new Request(request, { method, body: inLargeChunks(body, LEAST_REQUEST_CHUNK_BYTES) });
}

async function settleLater(hosted: HostedService): Promise<void> {
  await systemClock.sleep(SETTLE_AFTER_MS);
  isSettling = false;
  await hosted.settle();
}

function openApi(bindings: Bindings, ctx: ExecutionContext): Promise<HostedService> {
  const opened = shareStart(() => open(bindings));
  ctx.waitUntil(opened);
  return opened;
}

async function open(bindings: Bindings): Promise<HostedService> {
  // The first request to a new deployment waits for its schema.
  await schedulerOf(bindings).wake();
  return await openHostedService(bindings, { scheduler: NO_SCHEDULER });
}

/** Cloudflare tells it, whatever the client claims (developers.cloudflare.com/fundamentals/reference/http-headers). */
export function clientAddress(request: Request): string {
  return request.headers.get("cf-connecting-ip") ?? "unknown";
}
