import { connect as connectPlain, isIP, type Socket } from "node:net";
import { connect as connectEncrypted } from "node:tls";
import { parseResponseHead, type ResponseHead } from "./response-head.ts";

/** The same limits as in outgoing-fetch.ts. */
const CONNECT_TIMEOUT_MS = 10_000;
const HEAD_TIMEOUT_MS = 30_000;
const BODY_TIMEOUT_MS = 60_000;

/** Most servers close idle connections after five seconds or more. */
const IDLE_TIMEOUT_MS = 4_000;

/** Also the limit of `node:http` and undici. */
const MAX_HEAD_BYTES = 16 * 1024;

/** Stays in the CPU cache between being received and being copied. */
const READ_BYTES = 128 * 1024;

/** Shared by all connections: each read is used up before the next one. */
const received = Buffer.allocUnsafeSlow(READ_BYTES);
const onlyBuffer = () => received;

const NO_BYTES = Buffer.alloc(0);
const doNothing = () => undefined;

/** The server's answer is not one that this client understands. */
export class UnusualResponse extends Error {}

export type MediaConnection = {
  /** True once a response was received whole. */
  readonly isReused: boolean;
  /** Sends a request. Call only while idle. @throws {UnusualResponse} */
  exchange(request: string, signal: AbortSignal): Promise<ResponseHead>;
  /** Receives the body after the head, of the same size as `target`; then becomes idle. */
  receive(target: Uint8Array, onBytes: (count: number) => void): Promise<void>;
  close(reason?: unknown): void;
};

type Waiting =
  | { readonly part: "head"; readonly resolve: (head: ResponseHead) => void }
  | {
      readonly part: "body";
      readonly target: Uint8Array;
      filledBytes: number;
      readonly onBytes: (count: number) => void;
      readonly resolve: () => void;
    };

/**
 * One HTTP/1.1 connection for requests without a body, one at a time. Between head and body it does
 * not read. Bytes after a response close the connection, and never become part of the next one.
 */
export function openMediaConnection(
  url: URL,
  events: { readonly onIdle: () => void; readonly onClose: () => void },
): MediaConnection {
  /** The beginning of a head, or of the body that follows it. */
  let pending = NO_BYTES;
  let waiting: Waiting | null = null;
  let isHeadComplete = false;
  let isKeptAlive = true;
  let isReused = false;
  let failure: { readonly reason: unknown } | null = null;
  let reject: (reason: unknown) => void = doNothing;
  let ignoreSignal: () => void = doNothing;

  const socket = connect(url, onRead);
  socket.setTimeout(CONNECT_TIMEOUT_MS);
  socket.on("timeout", () => close(new Error("The server has been silent for too long")));
  socket.on("error", close);
  socket.on("end", () => close(new Error("The server closed the connection")));
  socket.on("close", () => close(new Error("The connection was closed")));

  function close(reason: unknown = new Error("The connection is no longer needed")): void {
    if (failure !== null) return;
    failure = { reason };
    ignoreSignal();
    socket.destroy();
    events.onClose();
    reject(reason);
  }

  /** Returns false to stop reading. */
  function onRead(count: number): boolean {
    const bytes = received.subarray(0, count);
    if (waiting?.part === "body") addToBody(waiting, bytes);
    else if (waiting?.part === "head") return !addToHead(waiting.resolve, bytes);
    // An encrypted connection passes on what it has decrypted before it stops reading.
    else if (isHeadComplete) pending = Buffer.concat([pending, bytes]);
    else close(new UnusualResponse("The server sent more than its response"));
    return failure === null;
  }

  /** Returns true if the head has ended. */
  function addToHead(resolve: (head: ResponseHead) => void, bytes: Buffer): boolean {
    pending = Buffer.concat([pending, bytes]);
    const end = pending.subarray(0, MAX_HEAD_BYTES).indexOf("\r\n\r\n");
    if (end < 0 && pending.byteLength < MAX_HEAD_BYTES) return false;
    const head = end < 0 ? null : parseResponseHead(pending.toString("latin1", 0, end));
    if (head === null) {
      close(new UnusualResponse("The server's response is unusual"));
      return true;
    }
    pending = pending.subarray(end + 4);
    waiting = null;
    isHeadComplete = true;
    isKeptAlive = head.isKeptAlive;
    resolve(head);
    return true;
  }

  function addToBody(body: Waiting & { part: "body" }, bytes: Buffer): void {
    const count = Math.min(bytes.byteLength, body.target.byteLength - body.filledBytes);
    body.target.set(bytes.subarray(0, count), body.filledBytes);
    body.filledBytes += count;
    if (count > 0) body.onBytes(count);
    if (body.filledBytes < body.target.byteLength) return;
    waiting = null;
    reject = doNothing;
    isHeadComplete = false;
    ignoreSignal();
    if (!isKeptAlive || count < bytes.byteLength) close();
    // Surplus bytes that are already here are read before the connection can be used again.
    setImmediate(() => {
      if (failure === null) {
        isReused = true;
        socket.setTimeout(IDLE_TIMEOUT_MS);
        events.onIdle();
      }
      body.resolve();
    });
  }

  return {
    get isReused() {
      return isReused;
    },
    close,
    exchange(request, signal) {
      return new Promise((resolve, rejectHead) => {
        reject = rejectHead;
        waiting = { part: "head", resolve };
        const onAbort = () => close(signal.reason);
        signal.addEventListener("abort", onAbort, { once: true });
        ignoreSignal = () => signal.removeEventListener("abort", onAbort);
        const send = () => {
          socket.setTimeout(HEAD_TIMEOUT_MS);
          socket.write(request, "latin1");
        };
        if (isReused) send();
        // Only after the certificate was checked.
        else socket.once(url.protocol === "https:" ? "secureConnect" : "connect", send);
      });
    },
    receive(target, onBytes) {
      return new Promise((resolve, rejectBody) => {
        if (failure !== null) {
          rejectBody(failure.reason);
          return;
        }
        reject = rejectBody;
        const body = { part: "body", target, filledBytes: 0, onBytes, resolve } as const;
        waiting = body;
        socket.setTimeout(BODY_TIMEOUT_MS);
        const first = pending;
        pending = NO_BYTES;
        addToBody(body, first);
        socket.resume();
      });
    },
  };
}

function connect(url: URL, onRead: (count: number) => boolean): Socket {
  const host = url.hostname.replaceAll(/[[\]]/g, "");
  const onread = { buffer: onlyBuffer, callback: onRead };
  if (url.protocol === "http:")
    return connectPlain({ host, port: Number(url.port || 80), noDelay: true, onread });
  const options = {
    host,
    port: Number(url.port || 443),
    // RFC 6066 section 3 permits names only. Certificates are checked against `host`.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ALPNProtocols: ["http/1.1"],
    onread,
  };
  return connectEncrypted(options).setNoDelay();
}
