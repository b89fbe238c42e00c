import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/**
 * Most that is read of a body that nobody wants. Browsers and some proxies read an answer only when
 * they have sent the body, of which the console's uploads send this much at a time.
 */
const MAX_DISCARDED_BYTES = 8 * 1024 * 1024;

/** Time for a client to send such a body, and again to close the connection. */
const PATIENCE_MS = 10_000;

/** A sender of more may read its answer before the reset. */
const RESET_DELAY_MS = 500;

/**
 * Reads the rest of a short body that the handler did not want, so that the connection is fit for
 * the next request. Resolves early, with the body incomplete, for a long or a slow one.
 */
export async function discardShortBody(request: IncomingMessage): Promise<void> {
  const { complete, destroyed, headers } = request;
  if (complete || destroyed || !hasBody(request)) return;
  if (Number(headers["content-length"] ?? 0) > MAX_DISCARDED_BYTES) return;
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const late = setTimeout(end, PATIENCE_MS);
  let discardedBytes = 0;
  // The handler's own reader would pause the request.
  request.removeAllListeners("data").on("data", (chunk: Buffer) => {
    discardedBytes += chunk.byteLength;
    if (discardedBytes > MAX_DISCARDED_BYTES) end();
  });
  request.once("end", end).once("close", end).resume();
  await ended;
  clearTimeout(late);
}

/**
 * Ends the connection of a request that is answered before its body has arrived: the answer says
 * `Connection: close`, and the server stops sending, discards a limited part of the body, and waits
 * for the client to close (RFC 9112 section 9.6). The body could otherwise delay the next request
 * on this connection without limit, and a reset could destroy the answer.
 *
 * Call it before the request is handled.
 */
export function closeAfterEarlyAnswer(request: IncomingMessage, response: ServerResponse): void {
  if (!hasBody(request)) return;
  response.writeHead = new Proxy(response.writeHead.bind(response), {
    apply(writeHead: (...head: unknown[]) => ServerResponse, self, head) {
      if (!request.complete) {
        const { socket } = request;
        response.shouldKeepAlive = false;
        // Node would close at once, which resets a connection with unread bytes.
        socket.destroySoon = () => linger(socket);
      }
      return Reflect.apply(writeHead, self, head);
    },
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}

function linger(socket: Socket): void {
  if (socket.writableEnded) return;
  socket.end();
  let discardedBytes = 0;
  const closing = setTimeout(() => socket.destroy(), PATIENCE_MS);
  socket.once("close", () => clearTimeout(closing));
  // Removes the parser: nothing on this connection is a request any more.
  socket.removeAllListeners("data").on("data", (chunk: Buffer) => {
    discardedBytes += chunk.byteLength;
    if (discardedBytes < MAX_DISCARDED_BYTES || socket.isPaused()) return;
    socket.pause();
    setTimeout(() => socket.destroy(), RESET_DELAY_MS);
  });
  socket.resume();
}
