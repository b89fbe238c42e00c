import { LIVE_PAGE_SIZE } from "#contract/limits.ts";
import type { Permission } from "#contract/permissions.ts";
import type { Principal } from "#service/http/route.ts";

/** A reader with more unread bytes is disconnected; it can reconnect and catch up. */
const MAX_UNREAD_BYTES = 256 * 1024;

/**
 * A full page of events fits into a reader's buffer. Larger events are dropped, because they would
 * disconnect readers that do keep up; those get the data when they next read the list.
 */
const MAX_EVENT_BYTES = Math.floor(MAX_UNREAD_BYTES / (LIVE_PAGE_SIZE + 1));

/** One open event stream. */
export type StreamClient = {
  readonly principal: Principal;
  /** Permission required for as long as the stream is open. */
  readonly permission: Permission;
  /** The bytes to send at each heartbeat. */
  readonly heartbeat: () => Uint8Array | null;
  send(bytes: Uint8Array): void;
  close(): void;
};

export type OpenedStream = { readonly client: StreamClient; readonly response: Response };

/**
 * `onClosed` is called once, whichever side ends the stream. If a reader is too slow, its stream
 * ends after the unread bytes, and the reader reconnects and catches up. A reader that reads
 * nothing at all is disconnected by the host's own limit.
 */
export function openStream(options: {
  principal: Principal;
  permission: Permission;
  signal: AbortSignal;
  heartbeat: () => Uint8Array | null;
  /** Called before the stream of a slow reader is closed. */
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
    // Asks nginx-like proxies not to buffer events.
    "x-accel-buffering": "no",
  };
  return { client, response: new Response(body, { headers }) };
}
