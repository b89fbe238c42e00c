import { createServer } from "node:http";
import { listen } from "../listen.ts";
import { readBody, readJson, isRecord } from "../twitch/http/request-body.ts";
import { startSteeredTwitch, type SteeredStandIn } from "./steered-twitch.ts";

export type SteeringServer = {
  readonly url: string;
  close(): Promise<void>;
};

type Running = { readonly twitch: SteeredStandIn; aheadMs: number };

/** Starts and controls stand-ins for tests inside workerd, which cannot run servers. */
export async function startSteeringServer(): Promise<SteeringServer> {
  const running = new Map<string, Running>();
  let started = 0;

  async function start(body: Record<string, unknown>): Promise<unknown> {
    const { clientId, clientSecret, redirectUris, aheadMs } = body;
    started += 1;
    const id = String(started);
    const twitch = await startSteeredTwitch({
      clientId: String(clientId),
      clientSecret: String(clientSecret),
      ...(Array.isArray(redirectUris) ? { redirectUris: redirectUris.map(String) } : {}),
      now: () => Date.now() + (running.get(id)?.aheadMs ?? Number(aheadMs)),
    });
    running.set(id, { twitch, aheadMs: Number(aheadMs) });
    const { idUrl, apiUrl, gqlUrl, usherUrl, mediaHost } = twitch;
    return { id, addresses: { idUrl, apiUrl, gqlUrl, usherUrl, mediaHost } };
  }

  async function answer(path: string, body: Record<string, unknown>): Promise<unknown> {
    if (path === "/start") return await start(body);
    const [, id = "", action] = path.split("/");
    const found = running.get(id);
    if (found === undefined) throw new Error(`There is no stand-in ${id}`);
    found.aheadMs = Number(body["aheadMs"]);
    switch (action) {
      case "time":
        return null;
      case "steer": {
        const { method, parameters } = body;
        return await found.twitch.steer(
          String(method),
          Array.isArray(parameters) ? parameters : [],
        );
      }
      case "close":
        running.delete(id);
        await found.twitch.close();
        return null;
      default:
        throw new Error(`There is nothing at ${path}`);
    }
  }

  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://steering");
    readBody(request)
      .then((body) => {
        const read = readJson(body);
        return answer(pathname, isRecord(read) ? read : {});
      })
      .then(
        (result) => response.end(JSON.stringify({ result })),
        (error: unknown) => {
          response.statusCode = 400;
          response.end(String(error));
        },
      );
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await Promise.all([...running.values()].map(({ twitch }) => twitch.close()));
    },
  };
}
