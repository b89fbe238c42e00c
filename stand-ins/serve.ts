import { createAdaptorServer } from "@hono/node-server";
import { listen } from "./listen.ts";

export type Served = {
  readonly url: string;
  /** Also ends open connections. */
  close(): Promise<void>;
};

/** Serves an app over HTTP on a free port of this machine. */
export async function serve({
  fetch,
}: {
  readonly fetch: Parameters<typeof createAdaptorServer>[0]["fetch"];
}): Promise<Served> {
  // Tests run in the same process, and compare with the runtime's own `Response`.
  const server = createAdaptorServer({ fetch, overrideGlobalObjects: false });
  return {
    url: `http://127.0.0.1:${await listen(server)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ("closeAllConnections" in server) server.closeAllConnections();
      }),
  };
}
