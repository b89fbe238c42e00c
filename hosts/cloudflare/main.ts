import { CALLS } from "#contract/registry.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { SERVICE_PATHS } from "#service/http/service-paths.ts";
import { createLogger } from "#service/logger.ts";
import { answerCall, clientAddress, openShared } from "./api.ts";
import { schedulerOf, type Bindings } from "./bindings.ts";
import { openD1Database } from "./d1-database.ts";
import { NO_SCHEDULER, openHostedService, type HostedService } from "./hosted-service.ts";
import { createWorkerLogSink } from "./log-sink.ts";
import { learnPartTags } from "./part-tags.ts";
import { createWakeUpConsumer, type ServiceSlice } from "./wake-up-consumer.ts";

export { LiveHubObject } from "./live-hub-object.ts";
export { SchedulerObject } from "./scheduler-object.ts";

/** As named in wrangler.jsonc. */
const DEAD_LETTERS = "vodkeep-vod-resume-dead";

/** A missing script must not be answered with index.html, nor a hidden file such as `/.git/config`. */
const FILE_PATHS = /^\/assets\/|\/\.|\.[a-z0-9]{2,12}$/i;

const STREAM_PATHS: ReadonlySet<string> = new Set(
  CALLS.filter((call) => call.stream === true).map((call) => call.path),
);

/** Paths without a static file get index.html: the console routes in the browser. */
async function answerPage(
  request: Request,
  pathname: string,
  { ASSETS }: Bindings,
): Promise<Response> {
  if (request.method !== "GET" && request.method !== "HEAD")
    return new Response(null, { status: 405, headers: { allow: "GET, HEAD" } });
  if (FILE_PATHS.test(pathname))
    return new Response("There is no such file.\n", {
      status: 404,
      headers: { "x-content-type-options": "nosniff" },
    });
  return await ASSETS.fetch(new Request(new URL("/", request.url), request));
}

/**
 * Serves a browser's event stream from a separate service that lives as long as the response. When
 * the browser disconnects, the runtime ends the request and with it the sockets to the hub.
 */
async function answerEventStream(
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

const consume = createWakeUpConsumer();

async function consumeWakeUps(
  batch: MessageBatch,
  bindings: Bindings,
  ctx: ExecutionContext,
): Promise<void> {
  await learnPartTags(bindings);
  await consume(
    batch,
    async () => {
      const hosted = await openHostedService(bindings, { scheduler: NO_SCHEDULER });
      hosted.keepFlushing();
      return sliceOf(hosted, () => hosted.end());
    },
    async () => {
      const hosted = await openShared(bindings, ctx);
      return sliceOf(hosted, () => hosted.flush());
    },
  );
}

function sliceOf({ service, log }: HostedService, end: () => Promise<void>): ServiceSlice {
  return { log, consume: (message) => service.consume(message), end };
}

/**
 * Records wake-ups that repeatedly failed. Nothing is lost with them, since the sweeper finds the
 * upload in the database.
 */
async function recordDeadLetters(batch: MessageBatch, { DB }: Bindings): Promise<void> {
  const logs = createWorkerLogSink(console);
  const log = createLogger(systemClock, logs);
  for (const message of batch.messages)
    log.error("A wake-up was given up", {
      messageId: message.id,
      attempts: message.attempts,
      body: message.body,
    });
  await logs.flush(openD1Database(DB));
  batch.ackAll();
}

export default {
  async fetch(request, bindings, ctx) {
    const { pathname } = new URL(request.url);
    if (!SERVICE_PATHS.test(pathname)) return await answerPage(request, pathname, bindings);
    try {
      return request.method === "GET" && STREAM_PATHS.has(pathname)
        ? await answerEventStream(request, bindings, ctx)
        : await answerCall(request, bindings, ctx);
    } catch (error) {
      // The service handles its own errors; this one prevented its start.
      console.error(error);
      return Response.json(
        { error: { code: "unavailable", message: "The service is not ready. Try again soon." } },
        { status: 503, headers: { "retry-after": "5", "cache-control": "no-store" } },
      );
    }
  },

  async queue(batch, bindings, ctx) {
    if (batch.queue === DEAD_LETTERS) await recordDeadLetters(batch, bindings);
    else await consumeWakeUps(batch, bindings, ctx);
  },

  /** Wakes the scheduler should its alarms have stopped. */
  async scheduled(_event, bindings) {
    await schedulerOf(bindings).wake();
  },
} satisfies ExportedHandler<Bindings>;
