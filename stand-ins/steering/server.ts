import { Hono } from "hono";
import { serve } from "../serve.ts";
import type { TwitchStandInOptions } from "../twitch/server.ts";
import { startSteeredTwitch, type SteeredStandIn } from "./steered-twitch.ts";

export type SteeringServer = {
  readonly url: string;
  close(): Promise<void>;
};

type Running = { readonly twitch: SteeredStandIn; aheadMs: number };

type Time = { readonly aheadMs: number };
type Start = Time & TwitchStandInOptions;
type Steer = Time & { readonly method: string; readonly parameters: readonly unknown[] };

/** Starts and controls stand-ins for tests inside workerd, which cannot run servers. */
export async function startSteeringServer(): Promise<SteeringServer> {
  const running = new Map<string, Running>();
  let started = 0;

  function find(id: string, aheadMs: number): SteeredStandIn {
    const found = running.get(id);
    if (found === undefined) throw new Error(`There is no stand-in ${id}`);
    found.aheadMs = aheadMs;
    return found.twitch;
  }

  const app = new Hono()
    .post("/start", async (c) => {
      const { aheadMs, ...options } = await c.req.json<Start>();
      started += 1;
      const id = String(started);
      const twitch = await startSteeredTwitch({
        ...options,
        now: () => Date.now() + (running.get(id)?.aheadMs ?? aheadMs),
      });
      running.set(id, { twitch, aheadMs });
      const { idUrl, apiUrl, gqlUrl, usherUrl, mediaHost } = twitch;
      return c.json({ result: { id, addresses: { idUrl, apiUrl, gqlUrl, usherUrl, mediaHost } } });
    })
    .post("/:id/time", async (c) => {
      find(c.req.param("id"), (await c.req.json<Time>()).aheadMs);
      return c.json({ result: null });
    })
    .post("/:id/steer", async (c) => {
      const { aheadMs, method, parameters } = await c.req.json<Steer>();
      const result = await find(c.req.param("id"), aheadMs).steer(method, parameters);
      return c.body(JSON.stringify({ result }));
    })
    .post("/:id/close", async (c) => {
      const id = c.req.param("id");
      const twitch = find(id, 0);
      running.delete(id);
      await twitch.close();
      return c.json({ result: null });
    })
    .onError((error, c) => c.text(String(error), 400));
  const server = await serve(app);
  return {
    url: `http://127.0.0.1:${server.port}`,
    async close() {
      await server.close();
      await Promise.all([...running.values()].map(({ twitch }) => twitch.close()));
    },
  };
}
