import * as z from "zod/mini";
import { streamTicket } from "#contract/auth.ts";
import type { AnyCall, DataOf } from "#contract/call.ts";
import { addressOf } from "#contract/call-request.ts";
import { apiAddress } from "./api-address.ts";
import { call } from "./api-client.ts";
import { jsonOf } from "./api-request.ts";
import { serverStatus } from "./server-status.ts";

/**
 * One event stream from the service.
 *
 * It is **connecting** while it fetches a single-use ticket and opens the stream, and **connected**
 * from the first message on. When a connected stream ends, the service probably restarted, so one
 * new attempt is made silently; when that or the first attempt fails, the stream is **lost**. It is
 * then tried again after 2 s, 4 s, up to a minute, and at once when the server is Online again,
 * until it is connected. Without a network it keeps connecting instead, and starts anew when the
 * browser is online. A page hidden for a minute closes its connection and reopens it when shown.
 */
export type LiveStreamOptions<C extends AnyCall> = {
  readonly onMessage: (message: DataOf<C>) => void;
  readonly onState: (state: "connecting" | "connected" | "lost") => void;
};

/** After the first failure; each further one doubles it, so that a server that starts is not flooded. */
const RECONNECT_AFTER_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;
const CLOSE_HIDDEN_AFTER_MS = 60_000;

/** Opens a stream of the contract; the returned function closes it. */
export function openLiveStream<C extends AnyCall>(
  which: C,
  { onMessage, onState }: LiveStreamOptions<C>,
): () => void {
  let source: EventSource | null = null;
  let attempt = 0;
  /** In a row; two make a loss. The first attempt of all has no silent repetition. */
  let failures = 1;
  let reconnectTimer: ReturnType<typeof setTimeout> | undefined;
  let hiddenTimer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  async function connect(): Promise<void> {
    clearTimeout(reconnectTimer);
    reconnectTimer = undefined;
    attempt += 1;
    const current = attempt;
    const isCurrent = () => !closed && attempt === current;
    if (failures < 2) onState("connecting");
    let token: string;
    try {
      token = (await call(streamTicket)).streamTicket;
    } catch {
      if (isCurrent()) fail();
      return;
    }
    if (!isCurrent()) return;
    source = new EventSource(apiAddress(addressOf(which, { query: { token } })), {
      withCredentials: true,
    });
    let wasConnected = false;
    source.addEventListener("message", (event: MessageEvent<string>) => {
      if (!isCurrent()) return;
      if (!wasConnected) {
        wasConnected = true;
        failures = 0;
        onState("connected");
      }
      const schema: C["data"] = which.data;
      const message = z.safeParse(schema, jsonOf(event.data));
      if (message.success) onMessage(message.data);
    });
    source.addEventListener("error", () => {
      if (!isCurrent()) return;
      serverStatus.noteFault("Offline");
      fail();
    });
  }

  function fail(): void {
    stop();
    if (!navigator.onLine) return;
    failures += 1;
    if (failures === 1) onState("connecting");
    if (failures === 2) onState("lost");
    const pauseMs = Math.min(LONGEST_PAUSE_MS, RECONNECT_AFTER_MS * 2 ** (failures - 1));
    reconnectTimer = setTimeout(() => void connect(), pauseMs);
  }

  function stop(): void {
    attempt += 1;
    clearTimeout(reconnectTimer);
    reconnectTimer = undefined;
    source?.close();
    source = null;
  }

  function followVisibility(): void {
    clearTimeout(hiddenTimer);
    if (document.hidden) {
      hiddenTimer = setTimeout(stop, CLOSE_HIDDEN_AFTER_MS);
    } else if (source === null || source.readyState === EventSource.CLOSED) {
      void connect();
    }
  }

  /** The connection of the former network may look open and never deliver again. */
  function followNetwork(): void {
    stop();
    if (!document.hidden) void connect();
  }

  const followServer = serverStatus.store.subscribe(() => {
    if (serverStatus.store.state === "Online" && reconnectTimer !== undefined) void connect();
  });

  function close(): void {
    closed = true;
    clearTimeout(hiddenTimer);
    stop();
    followServer.unsubscribe();
    document.removeEventListener("visibilitychange", followVisibility);
    window.removeEventListener("online", followNetwork);
  }

  document.addEventListener("visibilitychange", followVisibility);
  window.addEventListener("online", followNetwork);
  void connect();
  return close;
}
