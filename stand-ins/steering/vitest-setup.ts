import { Hono } from "hono";
import type { TestProject } from "vitest/node";
import { startReceiver } from "../receiver/server.ts";
import { serve, type Served } from "../serve.ts";
import { startTwitchStandIn, type TwitchStandInOptions } from "../twitch/server.ts";

/** Starts and ends stand-ins, and sets their clocks, for tests inside workerd, which cannot run servers. */

declare module "vitest" {
  interface ProvidedContext {
    steeringUrl: string;
  }
}

type Time = { readonly aheadMs: number };

const clocks = new Map<string, Time>();
const running = new Map<string, Pick<Served, "close">>();
let server: Served | null = null;

const app = new Hono()
  .post("/start", async (c) => {
    const { aheadMs, ...options } = await c.req.json<Time & TwitchStandInOptions>();
    const id = String(clocks.size);
    clocks.set(id, { aheadMs });
    const now = (): number => Date.now() + (clocks.get(id)?.aheadMs ?? 0);
    const twitch = await startTwitchStandIn({ ...options, now });
    running.set(id, twitch);
    const { url, settings } = twitch;
    return c.json({ id, url, settings });
  })
  .post("/start-receiver", async (c) => {
    const id = crypto.randomUUID();
    const receiver = await startReceiver();
    running.set(id, receiver);
    return c.json({ id, url: receiver.url });
  })
  .post("/:id/time", async (c) => {
    clocks.set(c.req.param("id"), await c.req.json<Time>());
    return c.json({});
  })
  .post("/:id/close", async (c) => {
    const id = c.req.param("id");
    await running.get(id)?.close();
    running.delete(id);
    return c.json({});
  });

/** Runs before the first test, and `teardown` after the last; both outside workerd. */
export async function setup(project: TestProject): Promise<void> {
  server = await serve(app);
  project.provide("steeringUrl", server.url);
}

export async function teardown(): Promise<void> {
  await server?.close();
  await Promise.all([...running.values()].map((standIn) => standIn.close()));
}
