import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import type { DirectBody, Receive } from "#service/ports/receive.ts";
import { openMediaConnection, UnusualResponse, type MediaConnection } from "./media-connection.ts";

export type MediaReceiver = { readonly receive: Receive; close(): void };

/** Two for each of 32 archives at once; further requests wait in outgoing-fetch.ts. */
const CONNECTIONS_PER_ORIGIN = 64;

/** Origins are named by an allowlist, which may contain wildcards. */
const MAX_UNUSUAL_ORIGINS = 1_000;

type Connections = { readonly open: Set<MediaConnection>; readonly idle: MediaConnection[] };

/** Their bodies tell whether the object is absent or this service refused. */
const REFUSALS = new Set([401, 403, 404, 410]);

/**
 * Receives media directly from the connection: plain bodies of known length in statuses 200 and 206,
 * and the heads of most other responses. A refusal is requested again with `fetch`, for its body. So
 * is a response in another form, e.g. chunked, and everything from that origin afterwards (decision
 * record 0019).
 */
export function createMediaReceiver(fetch: OutgoingFetch): MediaReceiver {
  const origins = new Map<string, Connections>();
  const unusualOrigins = new Set<string>();

  function connectionsTo({ origin }: URL): Connections {
    const known = origins.get(origin) ?? { open: new Set(), idle: [] };
    origins.set(origin, known);
    return known;
  }

  function connectTo(url: URL, { open, idle }: Connections): MediaConnection {
    const connection = openMediaConnection(url, {
      onIdle: () => idle.push(connection),
      onClose() {
        open.delete(connection);
        const at = idle.indexOf(connection);
        if (at >= 0) idle.splice(at, 1);
        if (open.size === 0) origins.delete(url.origin);
      },
    });
    open.add(connection);
    return connection;
  }

  const receive: Receive = async (address, init) => {
    const { signal } = init;
    signal.throwIfAborted();
    const url = new URL(address);
    if (unusualOrigins.has(url.origin)) return await fetch(address, init);
    const connections = connectionsTo(url);
    const isFull = connections.idle.length === 0 && connections.open.size >= CONNECTIONS_PER_ORIGIN;
    if (isFull) return await fetch(address, init);
    const connection = connections.idle.pop() ?? connectTo(url, connections);
    try {
      const head = await connection.exchange(requestFor(url, init.headers), signal);
      const { status, headers, plainBodyBytes } = head;
      if (plainBodyBytes !== null)
        return { status, headers, body: bodyOf(connection, plainBodyBytes, signal) };
      connection.close();
      if (REFUSALS.has(status)) return await fetch(address, init);
      if (status !== 200 && status !== 206) return { status, headers, body: null };
    } catch (error) {
      signal.throwIfAborted();
      // A server may close an idle connection at the moment of the next request.
      if (connection.isReused) return await fetch(address, init);
      if (!(error instanceof UnusualResponse)) throw asFetchError(error);
    }
    if (unusualOrigins.size >= MAX_UNUSUAL_ORIGINS) unusualOrigins.clear();
    unusualOrigins.add(url.origin);
    return await fetch(address, init);
  };

  return {
    receive,
    close() {
      for (const { open: connections } of origins.values())
        for (const connection of connections) connection.close();
    },
  };
}

function bodyOf(connection: MediaConnection, sizeBytes: number, signal: AbortSignal): DirectBody {
  return {
    sizeBytes,
    async receive(target, onBytes) {
      try {
        await connection.receive(target, onBytes);
      } catch (error) {
        signal.throwIfAborted();
        throw asFetchError(error);
      }
    },
    cancel: async () => connection.close(),
  };
}

function requestFor(url: URL, given: Headers): string {
  const headers = new Headers(given);
  headers.set("host", url.host);
  headers.set("connection", "keep-alive");
  if (!headers.has("accept-encoding")) headers.set("accept-encoding", "identity");
  const lines = [...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${url.pathname}${url.search} HTTP/1.1\r\n${lines.join("")}\r\n`;
}

/** Shaped like the errors of `fetch`; the cause has the code, e.g. of an invalid certificate. */
function asFetchError(cause: unknown): TypeError {
  return new TypeError("fetch failed", { cause });
}
