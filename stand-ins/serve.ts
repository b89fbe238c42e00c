import { createAdaptorServer } from "@hono/node-server";
import { listen } from "./listen.ts";

export type Served = {
  readonly url: string;
  /** Also ends open connections. */
  close(): Promise<void>;
};

/** Longer than any client's pause between segments. */
const KEEP_ALIVE_TIMEOUT_MS = 65_000;

/** Serves an app over HTTP on this machine, on a free port unless one is given. */
export async function serve(
  { fetch }: { readonly fetch: Parameters<typeof createAdaptorServer>[0]["fetch"] },
  port?: number,
): Promise<Served> {
  const server = createAdaptorServer({
    fetch,
    // Tests run in the same process, and compare with the runtime's own `Response`.
    overrideGlobalObjects: false,
    serverOptions: { keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS },
  });
  return {
    url: `http://127.0.0.1:${await listen(server, port)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ("closeAllConnections" in server) server.closeAllConnections();
      }),
  };
}
