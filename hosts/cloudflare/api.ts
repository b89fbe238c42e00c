import { systemClock } from "#hosts/ports/clock.ts";
import { schedulerOf, type Bindings } from "./bindings.ts";
import { NO_SCHEDULER, openHostedService, type HostedService } from "./hosted-service.ts";

/**
 * One service an isolate answers calls, so that limits on requests and what Twitch last said hold
 * from one to the next. It holds no socket, timer or stream between requests: those belong to the
 * request that made them. Requests of people who have gone are still finished, because another one
 * may wait for the same answer of Twitch's.
 */
let opened: Promise<HostedService> | null = null;

let isSettling = false;

/** Long enough to write many requests' counts at once; a Worker may live on for 30 s. */
const SETTLE_AFTER_MS = 2_000;

export async function answerCall(
  request: Request,
  bindings: Bindings,
  ctx: ExecutionContext,
): Promise<Response> {
  const hosted = await openApi(bindings, ctx);
  const answering = hosted.service.fetch(request, { clientAddress: clientAddress(request) });
  ctx.waitUntil(answering);
  if (!isSettling) {
    isSettling = true;
    ctx.waitUntil(settleLater(hosted));
  }
  return await answering;
}

async function settleLater(hosted: HostedService): Promise<void> {
  await systemClock.sleep(SETTLE_AFTER_MS);
  isSettling = false;
  await hosted.settle();
}

function openApi(bindings: Bindings, ctx: ExecutionContext): Promise<HostedService> {
  opened ??= open(bindings).catch((error: unknown) => {
    opened = null;
    throw error;
  });
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
