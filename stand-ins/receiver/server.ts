import { setTimeout as sleep } from "node:timers/promises";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import { Hono } from "hono";
import { serve } from "../serve.ts";
import type { ReceiverAnswer, ReceiverState } from "./steer-receiver.ts";

const LINE = new TextEncoder().encode("x".repeat(9_000));

/** A receiver of webhooks, which is told what to answer (steer-receiver.ts). */
export async function startReceiver() {
  let answers: readonly ReceiverAnswer[] = [];
  const received: ReceiverState["received"][number][] = [];
  let release = new AbortController();
  let heldCount = 0;

  const app = new Hono<{ Bindings: HttpBindings }>()
    .put("/_control/answers", async (c) => {
      answers = await c.req.json();
      release.abort();
      release = new AbortController();
      return c.json({});
    })
    .get("/_control/state", (c) => c.json({ received, heldCount } satisfies ReceiverState))
    .post("*", async (c) => {
      const { pathname, search } = new URL(c.req.url);
      const body = await c.req.text();
      const { status, headers, how } = answers.find(
        (each) => (each.path ?? pathname) === pathname && body.includes(each.bodyIncludes ?? ""),
      ) ?? { status: 204 };
      if (how === "held") {
        heldCount += 1;
        await sleep(600_000, undefined, { signal: release.signal }).catch(() => undefined);
      }
      if (how === "cut") {
        c.env.incoming.socket.destroy();
        return RESPONSE_ALREADY_SENT;
      }
      if (status < 300)
        received.push({
          path: pathname + search,
          headers: Object.fromEntries(c.req.raw.headers),
          body,
        });
      if (status === 204) return new Response(null, { status });
      const stream = new ReadableStream({
        start: (controller) =>
          controller.enqueue(LINE.subarray(0, how === "unended" ? 500 : 9_000)),
        pull(controller) {
          if (how === "endless") controller.enqueue(LINE);
          else if (how !== "unended") controller.close();
        },
      });
      return new Response(stream, { status, headers: headers ?? {} });
    });

  return await serve(app);
}
