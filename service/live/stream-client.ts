import { LIVE_PAGE_SIZE } from "#contract/limits.ts";
import type { Permission } from "#contract/permissions.ts";
import type { Principal } from "#service/http/route.ts";

/** What a reader may leave unread before it is let go: it can come back and catch up. */
const MAX_UNREAD_BYTES = 256 * 1024;

/**
 * A full page of events fits into what a reader may leave unread. A larger one is left out, since it
 * would end streams whose readers do keep up; the reader has it with its next reading of the list.
 */
const MAX_EVENT_BYTES = Math.floor(MAX_UNREAD_BYTES / (LIVE_PAGE_SIZE + 1));

/** One open event stream. */
export type StreamClient = {
  readonly principal: Principal;
  /** What the stream's reader needs to hold all the while. */
  readonly permission: Permission;
  /** The stream's own sign of life, at each heartbeat. */
  readonly heartbeat: () => Uint8Array | null;
  send(bytes: Uint8Array): void;
  close(): void;
};

export type OpenedStream = { readonly client: StreamClient; readonly response: Response };

/**
 * `onClosed` is called once, whoever ends the stream: the reader, its connection, or we. For a reader
 * too slow to keep up the stream ends after what it has left unread: it comes back and catches up. One
 * that takes nothing at all loses its connection to the host's own limit.
 */
export function openStream(options: {
  principal: Principal;
  permission: Permission;
  signal: AbortSignal;
  heartbeat: () => Uint8Array | null;
  /** Called before a stream is closed whose reader did not keep up. */
  onSlow: () => void;
  onClosed: (client: StreamClient) => void;
}): OpenedStream {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;

  const body = new ReadableStream<Uint8Array>(
    {
      start(started) {
        controller = started;
      },
      cancel() {
        end();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: MAX_UNREAD_BYTES }),
  );

  const client: StreamClient = {
    principal: options.principal,
    permission: options.permission,
    heartbeat: options.heartbeat,
    send(bytes) {
      if (controller === null || bytes.length > MAX_EVENT_BYTES) return;
      if ((controller.desiredSize ?? 0) < bytes.length) {
        options.onSlow();
        client.close();
        return;
      }
      controller.enqueue(bytes);
    },
    close() {
      const open = controller;
      end();
      open?.close();
    },
  };

  function end(): void {
    if (controller === null) return;
    controller = null;
    options.signal.removeEventListener("abort", onAbort);
    options.onClosed(client);
  }

  function onAbort(): void {
    client.close();
  }

  options.signal.addEventListener("abort", onAbort);
  const headers = {
    "content-type": "text/event-stream",
    "cache-control": "no-store, no-transform",
    // Asks proxies of the nginx family not to hold events back.
    "x-accel-buffering": "no",
  };
  return { client, response: new Response(body, { headers }) };
}
