import { createAdaptorServer } from "@hono/node-server";
import { listen } from "./listen.ts";

export type Served = {
  readonly port: number;
  /** Also ends open connections. */
  close(): Promise<void>;
};

/** Serves an app over HTTP on a free port, or the given one. */
export async function serve(
  { fetch }: { readonly fetch: Parameters<typeof createAdaptorServer>[0]["fetch"] },
  host?: string,
  port?: number,
): Promise<Served> {
  // Tests run in the same process, and compare with the runtime's own `Response`.
  const server = createAdaptorServer({ fetch, overrideGlobalObjects: false });
  return {
    port: await listen(server, host, port),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ("closeAllConnections" in server) server.closeAllConnections();
      }),
  };
}
