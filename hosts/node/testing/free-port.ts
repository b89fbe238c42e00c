import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * Below those that systems give to outgoing connections (Linux: from 32768, RFC 6335: from 49152),
 * so that nothing takes the port between now and a start, or between two starts.
 */
const FIRST_PORT = 15_000;
const LAST_PORT = 32_000;

/** A port of 127.0.0.1 that nothing listens on. */
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
