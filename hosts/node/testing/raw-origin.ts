import { once } from "node:events";
import { createServer, type Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { listen } from "#stand-ins/listen.ts";

export type RawOrigin = Awaited<ReturnType<typeof startRawOrigin>>;

/** A server that writes what it is told to, byte by byte. */
export async function startRawOrigin(
  answer: (socket: Socket, requestNumber: number) => void | Promise<void>,
) {
  const sockets = new Set<Socket>();
  const requests: string[] = [];
  let connections = 0;
  const server = createServer({ noDelay: true }, (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
    // A client may break off at any time.
    socket.on("error", () => undefined);
    let text = "";
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      if (!text.endsWith("\r\n\r\n")) return;
      requests.push(text);
      text = "";
      void answer(socket, requests.length);
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/0.ts`,
    /** Connections accepted so far. */
    get connections() {
      return connections;
    },
    /** Heads of the requests received so far. */
    requests,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, "close");
    },
  };
}

/** Writes the pieces of `bytes` in turns of the event loop, so that they arrive one by one. */
export async function writeInPieces(
  socket: Socket,
  bytes: Uint8Array,
  cuts: readonly number[],
): Promise<void> {
  let start = 0;
  for (const end of [...cuts.toSorted((one, other) => one - other), bytes.byteLength]) {
    if (end <= start || end > bytes.byteLength) continue;
    socket.write(bytes.subarray(start, end));
    start = end;
    await nextTurn();
    await nextTurn();
  }
}
