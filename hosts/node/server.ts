import { getRequestListener } from "@hono/node-server";
import { IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import { createServer as createTlsServer, type Server as TlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import type { ErrorBody } from "#contract/errors.ts";
import { MANUAL_UPLOADS_PATH } from "#contract/manual-uploads.ts";
import { withoutBasePath } from "#service/base-path.ts";
import { ApiError } from "#service/api-error.ts";
import { SERVICE_PATHS } from "#service/http/service-paths.ts";
import { SettingsError } from "#service/settings.ts";
import { clientAddressReader, type ClientAddressReader } from "./client-address.ts";
import type { ConsoleFiles } from "./console-files.ts";
import type { Certificate } from "./certificate.ts";
import { cutWhenBroken } from "./cut-answer.ts";
import { limitConnections, type ConnectionLimit } from "./connection-limit.ts";
import { closeAfterEarlyAnswer, discardShortBody } from "./early-answer.ts";
import { fileErrorCode } from "./file-error.ts";

export type NodeServer = {
  readonly port: number;
  /** Sets the handlers; until then every request is answered with 503. */
  serve(handlers: ServerHandlers): void;
  /** New connections see this certificate; only with one to begin with. */
  present(certificate: Certificate): void;
  /** Accepts no new connections, drains responses for {@link DRAIN_MS}, then closes the rest. */
  close(): Promise<void>;
};

type ServerHandlers = {
  /** Answers the service's requests. */
  readonly answer: (request: Request, info: { clientAddress: string }) => Promise<Response>;
  /** Null when the console has not been built or is served elsewhere. */
  readonly consoleFiles: ConsoleFiles | null;
  /**
   * Counts a console request against the limit of that address.
   * @throws {ApiError} rate_limited
   */
  readonly takeConsoleFile?: (clientAddress: string) => void;
  /** Absent: no proxy is trusted. */
  readonly clientAddress?: ClientAddressReader;
  /**
   * Redirects browsers that open the console at a loopback IP address to this origin: sign-in
   * returns to it and needs its cookie there. Null or absent: no redirect.
   */
  readonly loopbackOrigin?: string | null;
  /** Called for each response whose body failed after it had started. */
  readonly onBroken?: (error: unknown) => void;
};

type ServerOptions = {
  readonly basePath?: string;
  readonly callBodyTimeoutMs?: number;
  readonly stalledMs?: number;
  /** Absent: not limited. */
  readonly connections?: ConnectionLimit;
  /** Absent or null: plain HTTP. */
  readonly certificate?: Certificate | null;
};

/** Only EventSource requests this type. */
const EVENT_STREAM = "text/event-stream";

/** Ample for a cookie, a bearer token and a 1,024-byte key; more is an attack or a mistake. */
const MAX_HEADER_BYTES = 16 * 1024;
const MAX_TARGET_LENGTH = 8 * 1024;

/** Deadline for a client's headers, so that slow senders cannot hold connections. */
const HEADERS_TIMEOUT_MS = 15_000;

/** Time for the body of a call, at most 64 KB. The service itself limits slow file uploads. */
const CALL_BODY_TIMEOUT_MS = 30_000;

/**
 * A client that reads nothing for this long is disconnected; a player that continues later requests
 * the rest again. Open event streams send something every few seconds.
 */
const STALLED_MS = 120_000;

/** Longer than the timeouts of browsers and proxies, so that they close idle connections first. */
const KEEP_ALIVE_MS = 75_000;

/** Below the stop timeout of every supervisor (systemd 90 s, Docker 10 s). */
const DRAIN_MS = 5_000;

/**
 * Binds the port first, so that a start that cannot have it fails before changing anything, and
 * port 0 is resolved before the service needs its own address.
 *
 * Accepts requests with or without the base path, as reverse proxies may strip it.
 *
 * @throws {SettingsError} naming HOST or PORT when the address is unavailable.
 */
export async function listenOn(
  host: string,
  port: number,
  {
    basePath = "",
    callBodyTimeoutMs = CALL_BODY_TIMEOUT_MS,
    stalledMs = STALLED_MS,
    connections,
    certificate = null,
  }: ServerOptions = {},
): Promise<NodeServer> {
  let handle: (request: IncomingMessage, response: ServerResponse) => void = answerNotYet;
  const options = {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    // A single request may upload a file of any size.
    requestTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: 5_000,
    noDelay: true,
  };
  function receive(request: IncomingMessage, response: ServerResponse): void {
    request.url = withoutBasePath(request.url ?? "/", basePath);
    closeAfterEarlyAnswer(request, response);
    if (!request.url.startsWith(MANUAL_UPLOADS_PATH)) {
      endWhenLate(request, response, callBodyTimeoutMs);
      response.setTimeout(stalledMs, () => response.destroy());
    }
    handle(request, response);
  }
  const tlsServer =
    certificate &&
    createTlsServer({ ...options, ...certificate, handshakeTimeout: HEADERS_TIMEOUT_MS }, receive);
  const server: Server | TlsServer = tlsServer ?? createServer(options, receive);
  if (connections !== undefined) limitConnections(server, connections);
  await listen(server, host, port);
  return {
    port: portOf(server),
    serve(handlers) {
      handle = createHandler(handlers);
    },
    present: (next) => tlsServer?.setSecureContext(next),
    close: () => drain(server),
  };
}

function createHandler({
  answer,
  consoleFiles,
  takeConsoleFile = () => undefined,
  clientAddress = clientAddressReader([]),
  loopbackOrigin = null,
  onBroken = () => undefined,
}: ServerHandlers) {
  const listener = getRequestListener(
    async (request, env) => {
      if (!("outgoing" in env)) return await answer(request, { clientAddress: "unknown" });
      const response = await answer(request, { clientAddress: clientAddress(env.incoming) });
      if (env.incoming instanceof IncomingMessage) await discardShortBody(env.incoming);
      return cutWhenBroken(response, env.outgoing, onBroken);
    },
    { overrideGlobalObjects: false },
  );
  const consoleListener =
    consoleFiles &&
    getRequestListener(consoleFiles, {
      overrideGlobalObjects: false,
      // HTTP/1.0 may omit the Host header; no answer depends on it.
      hostname: "localhost",
    });
  return (request: IncomingMessage, response: ServerResponse): void => {
    const target = request.url ?? "/";
    const path = target.split("?", 1)[0] ?? "/";
    // An event stream ends with its connection, so it needs no chunked encoding: each message is
    // then one buffer in one write instead of three (RFC 9112 section 6.3, last rule).
    if (request.headers.accept === EVENT_STREAM) response.useChunkedEncodingByDefault = false;
    if (target.length > MAX_TARGET_LENGTH)
      refuse(response, 414, { code: "invalid_request", message: "This address is too long." });
    else if (SERVICE_PATHS.test(path) || consoleListener === null) void listener(request, response);
    else if (loopbackOrigin !== null && isLoopbackNavigation(request))
      response.writeHead(307, { location: `${loopbackOrigin}${target}` }).end();
    else
      try {
        takeConsoleFile(clientAddress(request));
        void consoleListener(request, response);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        response.setHeader("retry-after", String(Math.ceil(error.retryAfterSec ?? 1)));
        refuse(response, 429, { code: error.code, message: error.message });
      }
  };
}

function isLoopbackNavigation({ method, headers }: IncomingMessage): boolean {
  return (
    method === "GET" &&
    /^(127\.0\.0\.1|\[::1\])(:\d+)?$/.test(headers.host ?? "") &&
    (headers.accept ?? "").includes("text/html")
  );
}

/** Disconnects a client whose request is incomplete after the timeout. */
function endWhenLate(request: IncomingMessage, response: ServerResponse, timeoutMs: number): void {
  const timer = setTimeout(() => {
    if (!request.complete) request.destroy();
  }, timeoutMs);
  response.once("close", () => clearTimeout(timer));
}

function answerNotYet(_request: IncomingMessage, response: ServerResponse): void {
  response.setHeader("retry-after", "1");
  refuse(response, 503, { code: "unavailable", message: "The service is starting." });
}

/** Refuses a request ahead of the service, in the format of its own errors. */
function refuse(response: ServerResponse, status: number, error: ErrorBody["error"]): void {
  response
    .writeHead(status, { "content-type": "application/json", "cache-control": "no-store" })
    .end(JSON.stringify({ error }));
}

function portOf(server: Server | TlsServer): number {
  const address: AddressInfo | string | null = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return address.port;
}

function listen(server: Server | TlsServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(describeListenError(error, host, port)));
    server.listen({ host, port }, () => {
      server.removeAllListeners("error");
      resolve();
    });
  });
}

function describeListenError(error: Error, host: string, port: number): Error {
  const sentence = listenRefusal(error, host, port);
  return sentence === null ? error : new SettingsError(sentence, { cause: error });
}

function listenRefusal(error: Error, host: string, port: number): string | null {
  switch (fileErrorCode(error)) {
    case "EADDRINUSE":
      return `PORT ${port} on ${host} is in use by another program.`;
    case "EACCES":
      return `PORT ${port} needs privileges that this user does not have.`;
    case "EADDRNOTAVAIL":
    case "ENOTFOUND":
    case "EAI_AGAIN":
      return `HOST ${host} is not an address of this machine.`;
    default:
      return null;
  }
}

function drain(server: Server | TlsServer): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), DRAIN_MS);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
