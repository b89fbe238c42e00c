import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below the ephemeral ports (Linux: from 32768, RFC 6335: from 49152), so that no outgoing
 * connection takes the port in the meantime, or between two starts.
 */
const FIRST_PORT = 15_000;
const LAST_PORT = 32_000;

/** Returns a port of 127.0.0.1 that nothing listens on. */
export async function findFreePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT + 1);
    if (await canListen(port)) return port;
  }
}

async function canListen(port: number): Promise<boolean> {
  const server = createServer();
  const listening = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => resolve(true));
  });
  if (listening) await new Promise((resolve) => server.close(resolve));
  return listening;
}
