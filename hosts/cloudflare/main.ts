import { SERVICE_PATHS } from "#service/http/service-paths.ts";
import { answerCall } from "./api.ts";
import { consumeWakeUps } from "./archive-consumer.ts";
import { schedulerOf, type Bindings } from "./bindings.ts";
import { openD1Database } from "./d1-database.ts";
import { recordDeadLetters } from "./dead-letters.ts";
import { answerEventStream, isEventStream } from "./event-stream.ts";
import { createWorkerLogSink } from "./log-sink.ts";

export { LiveHubObject } from "./live-hub-object.ts";
export { SchedulerObject } from "./scheduler-object.ts";

/** As named in wrangler.jsonc. */
const DEAD_LETTERS = "vodkeep-vod-resume-dead";

/** A missing script must not be answered with index.html, nor a hidden file such as `/.git/config`. */
const FILE_PATHS = /^\/assets\/|\/\.|\.[a-z0-9]{2,12}$/i;

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

export default {
  async fetch(request, bindings, ctx) {
    const { pathname } = new URL(request.url);
    if (!SERVICE_PATHS.test(pathname)) return await answerPage(request, pathname, bindings);
    try {
      return isEventStream(request, pathname)
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

  async queue(batch, bindings) {
    if (batch.queue === DEAD_LETTERS)
      await recordDeadLetters(batch, openD1Database(bindings.DB), createWorkerLogSink(console));
    else await consumeWakeUps(batch, bindings);
  },

  /** Wakes the scheduler should its alarms have stopped. */
  async scheduled(_event, bindings) {
    await schedulerOf(bindings).wake();
  },
} satisfies ExportedHandler<Bindings>;
