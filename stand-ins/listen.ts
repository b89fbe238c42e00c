import { once } from "node:events";
import type { Server } from "node:net";

/** Returns the port; for port 0 the system chooses a free one. Rejects when the port is taken. */
export async function listen(server: Server, port = 0): Promise<number> {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return address.port;
}
