import { getRequestListener } from "@hono/node-server";
import { type Server, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SettingsError } from "#service/settings.ts";
import type { ConsoleFiles } from "./console-files.ts";
import { fileErrorCode } from "./file-error.ts";

export type NodeServer = {
  readonly port: number;
  /** Takes no new connection, lets answers end for {@link DRAIN_MS}, then cuts what is left. */
  close(): Promise<void>;
};

type NodeServerOptions = {
  readonly host: string;
  readonly port: number;
  /** Answers what is the service's. */
  readonly answer: (request: Request, info: { clientAddress: string }) => Promise<Response>;
  /** Null when the console has not been built or is served elsewhere. */
  readonly consoleFiles: ConsoleFiles | null;
};

/** Paths that the service answers; everything else is the console. */
const SERVICE_PATHS = /^\/(?:admin|media|healthz|openapi\.json|metrics)(?:\/|$)/;

/** Ample for a cookie, a bearer and a 1,024-byte key; more is an attack or a mistake. */
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_TARGET_LENGTH = 8 * 1024;

/** A client must have sent its headers by then: slow senders cannot hold connections. */
const HEADERS_TIMEOUT_MS = 15_000;

/** Time for one request's body: a tus upload sends at most 100 MB a request, at 0.3 MB/s or more. */
const REQUEST_TIMEOUT_MS = 5 * 60_000;

/** Longer than browsers and proxies keep theirs, so that they, not we, close idle connections. */
const KEEP_ALIVE_MS = 75_000;

/** Below every supervisor's patience (systemd 90 s, Docker 10 s). */
const DRAIN_MS = 5_000;

/** @throws {SettingsError} naming HOST or PORT when that address cannot be had. */
export async function startNodeServer(options: NodeServerOptions): Promise<NodeServer> {
  const { answer, consoleFiles } = options;
  const listener = getRequestListener(
    (request, env) => {
      const clientAddress =
        "incoming" in env ? (env.incoming.socket.remoteAddress ?? "unknown") : "unknown";
      return answer(request, { clientAddress });
    },
    { overrideGlobalObjects: false },
  );
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADER_BYTES,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: 5_000,
      noDelay: true,
    },
    (request, response) => {
      const target = request.url ?? "/";
      const path = target.split("?", 1)[0] ?? "/";
      if (target.length > MAX_TARGET_LENGTH) response.writeHead(414).end();
      else if (SERVICE_PATHS.test(path) || consoleFiles === null) void listener(request, response);
      else consoleFiles(request, response, path);
    },
  );
  await listen(server, options.host, options.port);
  return { port: portOf(server), close: () => drain(server) };
}

function portOf(server: Server): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return address.port;
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(describeListenError(error, host, port)));
    server.listen({ host, port }, () => {
      server.removeAllListeners("error");
      resolve();
    });
  });
}

function describeListenError(error: Error, host: string, port: number): Error {
  switch (fileErrorCode(error)) {
    case "EADDRINUSE":
      return new SettingsError(`PORT ${port} on ${host} is taken by another program.`);
    case "EACCES":
      return new SettingsError(`PORT ${port} needs rights that this user does not have.`);
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return new SettingsError(`HOST ${host} is not an address of this machine.`);
    default:
      return error;
  }
}

function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
