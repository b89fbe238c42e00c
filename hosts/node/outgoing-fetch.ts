import { Agent, type buildConnector, type Dispatcher } from "undici";
import type { OutgoingFetch } from "#service/ports/outgoing-fetch.ts";
import { openAgent } from "./proxy.ts";

export type OutgoingConnections = { readonly fetch: OutgoingFetch; close(): Promise<void> };

/** Bytes of one response buffered for a slow reader; then the connection pauses. */
const READ_AHEAD_BYTES = 512 * 1024;

export const CONNECT_TIMEOUT_MS = 10_000;

/** Responses without a body by definition (RFC 9110 sections 15.3.5, 15.3.6 and 15.4.5). */
const BODILESS_STATUSES: readonly number[] = [204, 205, 304];

/**
 * Requests to other servers. Redirects are returned, not followed, since callers check each
 * address. Callers set deadlines through `signal`; the timeouts here only end hung connections. A
 * body must be read or cancelled before its connection can be reused.
 *
 * The body's stream is fed directly from the connection: half the CPU time of the runtime's own
 * `fetch` for a gigabyte of segments (decision record 0020).
 */
export function createOutgoingFetch(
  connect: buildConnector.connector | buildConnector.BuildOptions = { timeout: CONNECT_TIMEOUT_MS },
): OutgoingConnections {
  const options: Agent.Options = {
    connect,
    headersTimeout: 30_000,
    bodyTimeout: 60_000,
    keepAliveTimeout: 30_000,
    // Two archives with six connections each, and the other calls.
    connections: 16,
  };
  // Who checks each connection has to make it.
  const agent = typeof connect === "function" ? new Agent(options) : openAgent(options);

  async function send(address: string, init: RequestInit = {}): Promise<Response> {
    const url = new URL(address);
    const body = await readBody(address, init);
    const headers = new Headers(init.headers);
    if (body !== null && !headers.has("content-type") && body.contentType !== null)
      headers.set("content-type", body.contentType);
    // No content encoding: bytes arrive as they are stored.
    if (!headers.has("accept-encoding")) headers.set("accept-encoding", "identity");
    const request: Dispatcher.DispatchOptions = {
      origin: url.origin,
      path: url.pathname + url.search,
      method: (init.method ?? "GET").toUpperCase(),
      headers: Object.fromEntries(headers),
      body: body?.bytes ?? null,
    };
    return dispatch(agent, request, init.signal ?? null);
  }

  return { fetch: send, close: () => agent.destroy() };
}

function dispatch(
  agent: Dispatcher,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal | null,
): Promise<Response> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) {
      reject(signal.reason);
      return;
    }
    let request: Dispatcher.DispatchController | null = null;
    let stream: ReadableStreamDefaultController<Uint8Array> | null = null;
    const onAbort = (): void => request?.abort(toError(signal?.reason));
    signal?.addEventListener("abort", onAbort, { once: true });

    function openBody(): ReadableStream<Uint8Array> {
      return new ReadableStream<Uint8Array>(
        {
          start(controller) {
            stream = controller;
          },
          pull() {
            request?.resume();
          },
          cancel(reason) {
            stream = null;
            request?.abort(toError(reason));
          },
        },
        { highWaterMark: READ_AHEAD_BYTES, size: (chunk) => chunk.byteLength },
      );
    }

    agent.dispatch(options, {
      onRequestStart(controller) {
        request = controller;
        if (signal?.aborted === true) onAbort();
      },
      onResponseStart(_controller, status, headers) {
        // Interim responses, e.g. 103 Early Hints, come before the real one.
        if (status < 200) return;
        const bodiless = BODILESS_STATUSES.includes(status) || options.method === "HEAD";
        const answer = { status, headers: toHeaders(headers) };
        resolve(new Response(bodiless ? null : openBody(), answer));
      },
      onResponseData(controller, chunk) {
        if (stream === null) return;
        stream.enqueue(chunk);
        if ((stream.desiredSize ?? 0) <= 0) controller.pause();
      },
      onResponseEnd() {
        signal?.removeEventListener("abort", onAbort);
        stream?.close();
      },
      onResponseError(_controller, error) {
        signal?.removeEventListener("abort", onAbort);
        const reason: unknown =
          signal?.aborted === true
            ? signal.reason
            : new TypeError("fetch failed", { cause: error });
        stream?.error(reason);
        reject(reason);
      },
    });
  });
}

/** `Request` handles every kind of body and its content type. */
async function readBody(
  address: string,
  init: RequestInit,
): Promise<{ bytes: Uint8Array; contentType: string | null } | null> {
  if (init.body === undefined || init.body === null) return null;
  const { method = "POST", body } = init;
  // Sent in place: a part of 32 MiB is not copied.
  if (body instanceof Uint8Array) return { bytes: body, contentType: null };
  const request = new Request(address, { method, body, duplex: "half" });
  return {
    bytes: new Uint8Array(await request.arrayBuffer()),
    contentType: request.headers.get("content-type"),
  };
}

function toHeaders(received: Record<string, string | string[] | undefined>): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(received))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) headers.append(name, each);
  return headers;
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error("The request was aborted", { cause: reason });
}
