import type { Service } from "#service/app.ts";
import { listenOn } from "../server.ts";

/** Serves HTTP as the node host does. */
export async function listen(
  service: Pick<Service, "fetch">,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = await listenOn("127.0.0.1", 0);
  server.serve({ answer: (request, info) => service.fetch(request, info), consoleFiles: null });
  return { url: `http://127.0.0.1:${server.port}`, close: () => server.close() };
}
