import * as z from "zod/mini";
import { streamTicket } from "#contract/auth.ts";
import type { AnyCall, DataOf } from "#contract/call.ts";
import { call } from "./api-client.ts";
import { addressOf, jsonOf } from "./api-request.ts";

/**
 * One event stream from the service.
 *
 * It is **connecting** while it fetches a single-use ticket and opens the stream, and **connected**
 * from the first message on. When a connected stream ends, the service probably restarted, so one
 * new attempt is made silently; when that or the first attempt fails, the stream is **lost** until
 * the caller opens a new one. Without a network it keeps connecting instead, and starts anew when
 * the browser is online. A page hidden for a minute closes its connection and reopens it when shown.
 */
export type LiveStreamOptions<C> = {
  readonly onMessage: (message: DataOf<C>) => void;
  readonly onState: (state: "connecting" | "connected" | "lost") => void;
};

const RECONNECT_AFTER_MS = 1_000;
const CLOSE_HIDDEN_AFTER_MS = 60_000;

/** Opens a stream of the contract; the returned function closes it. */
export function openLiveStream<C extends AnyCall>(
  which: C,
  { onMessage, onState }: LiveStreamOptions<C>,
): () => void {
  let source: EventSource | null = null;
  let attempt = 0;
  let reconnectTimer: ReturnType<typeof setTimeout> | undefined;
  let hiddenTimer: ReturnType<typeof setTimeout> | undefined;
  let closed = false;

  async function connect(mayRetry: boolean): Promise<void> {
    attempt += 1;
    const current = attempt;
    const isCurrent = () => !closed && attempt === current;
    onState("connecting");
    let token: string;
    try {
      token = (await call(streamTicket)).streamTicket;
    } catch {
      if (isCurrent()) lose();
      return;
    }
    if (!isCurrent()) return;
    let wasConnected = false;
    source = new EventSource(addressOf(which, { query: { token } }), { withCredentials: true });
    source.addEventListener("message", (event: MessageEvent<string>) => {
      if (!isCurrent()) return;
      if (!wasConnected) {
        wasConnected = true;
        onState("connected");
      }
      const message = z.safeParse(which.data, jsonOf(event.data));
      // The schema is the call's own, so its output is the call's data.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion
      if (message.success) onMessage(message.data as DataOf<C>);
    });
    source.addEventListener("error", () => {
      if (!isCurrent()) return;
      source?.close();
      if (wasConnected || mayRetry) {
        onState("connecting");
        reconnectTimer = setTimeout(() => void connect(false), RECONNECT_AFTER_MS);
      } else {
        lose();
      }
    });
  }

  function lose(): void {
    stop();
    if (navigator.onLine) onState("lost");
  }

  function stop(): void {
    attempt += 1;
    clearTimeout(reconnectTimer);
    source?.close();
    source = null;
  }

  function followVisibility(): void {
    clearTimeout(hiddenTimer);
    if (document.hidden) {
      hiddenTimer = setTimeout(stop, CLOSE_HIDDEN_AFTER_MS);
    } else if (source === null || source.readyState === EventSource.CLOSED) {
      clearTimeout(reconnectTimer);
      void connect(true);
    }
  }

  /** The connection of the former network may look open and never deliver again. */
  function followNetwork(): void {
    stop();
    if (!document.hidden) void connect(true);
  }

  function close(): void {
    closed = true;
    clearTimeout(hiddenTimer);
    stop();
    document.removeEventListener("visibilitychange", followVisibility);
    window.removeEventListener("online", followNetwork);
  }

  document.addEventListener("visibilitychange", followVisibility);
  window.addEventListener("online", followNetwork);
  void connect(false);
  return close;
}
