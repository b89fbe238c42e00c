import * as z from "zod/mini";
import { createLogger } from "#service/logger.ts";
import type { Clock } from "#service/ports/clock.ts";
import type { LiveEvent, LiveHub } from "#service/ports/live-hub.ts";
import type { LogSink } from "#service/ports/log-sink.ts";
import type { HubGreeting, LiveHubObject } from "./live-hub-object.ts";

/** Called for each use, since a stub belongs to the request that created it. */
type FindHub = () => DurableObjectStub<LiveHubObject>;

export type LiveHubClient = LiveHub & {
  /** Ends all subscriptions and gives back all places, at the end of an invocation. */
  close(): void;
};

/** Delay before reconnecting to the hub; deployments reset the object. */
const RECONNECT_MS = 500;

const eventSchema = z.object({ id: z.number(), data: z.string() });
const greetingSchema = z.object({
  missed: z.boolean(),
  lastId: z.number(),
  replay: z.array(eventSchema),
});

/**
 * Client of the live hub for one invocation: publishing is a call, a subscription is a WebSocket. A
 * subscription reconnects by itself and replays the events that the hub kept meanwhile.
 */
export function openLiveHub(findHub: FindHub, clock: Clock, logs: LogSink): LiveHubClient {
  const log = createLogger(clock, logs);
  const closing = new AbortController();

  async function subscribe(
    topic: string,
    lastEventId: number | null,
    deliver: (event: LiveEvent) => void,
  ) {
    const ending = new AbortController();
    const ended = AbortSignal.any([closing.signal, ending.signal]);
    let seenId = lastEventId;

    function receive(event: LiveEvent): void {
      if (ended.aborted) return;
      seenId = event.id;
      deliver(event);
    }

    async function connect(): Promise<HubGreeting> {
      const after = seenId === null ? "" : `&after=${seenId}`;
      const response = await findHub().fetch(
        `https://hub/?topic=${encodeURIComponent(topic)}${after}`,
        {
          headers: { upgrade: "websocket" },
        },
      );
      const socket = response.webSocket;
      if (socket === null) throw new Error(`The hub answered ${response.status}`);
      const greeting = await greet(socket, ended, receive, () => void reconnect());
      for (const event of greeting.replay) receive(event);
      seenId = greeting.lastId;
      return greeting;
    }

    async function reconnect(): Promise<void> {
      while (!ended.aborted) {
        await clock.sleep(RECONNECT_MS, ended);
        if (ended.aborted) return;
        try {
          await connect();
          return;
        } catch (error) {
          log.warn("The live hub cannot be reached", { error });
        }
      }
    }

    const { missed, lastId } = await connect();
    return { missed, lastId, unsubscribe: () => ending.abort() };
  }

  /**
   * A place is a socket, so it is released however its invocation ends. A deployment closes all of
   * them and counting starts anew. While the hub is unreachable, every request is granted.
   */
  async function takePlace(name: string, places: number): Promise<(() => void) | null> {
    try {
      const response = await findHub().fetch(
        `https://hub/?place=${encodeURIComponent(name)}&of=${places}`,
        { headers: { upgrade: "websocket" } },
      );
      const socket = response.webSocket;
      if (socket === null) return null;
      socket.accept();
      const leave = (): void => socket.close(1000);
      if (closing.signal.aborted) leave();
      else closing.signal.addEventListener("abort", leave, { once: true });
      return leave;
    } catch (error) {
      log.warn("The live hub cannot count its streams", { error });
      return () => undefined;
    }
  }

  return {
    /** Retried once, since a deployment resets the object; then dropped with a warning. */
    async publish(topic, data) {
      try {
        await findHub().publish(topic, data);
      } catch {
        await findHub()
          .publish(topic, data)
          .catch((error: unknown) => log.warn("An event was not published", { error }));
      }
    },
    subscribe,
    takePlace,
    close: () => closing.abort(),
  };
}

/** Accepts the socket and resolves with the hub's first message; later ones go to `receive`. */
function greet(
  socket: WebSocket,
  ended: AbortSignal,
  receive: (event: LiveEvent) => void,
  onLost: () => void,
): Promise<HubGreeting> {
  const { promise, resolve, reject } = Promise.withResolvers<HubGreeting>();
  let isGreeted = false;
  socket.addEventListener("message", ({ data }) => {
    const message: unknown = JSON.parse(String(data));
    if (isGreeted) {
      receive(eventSchema.parse(message));
      return;
    }
    isGreeted = true;
    resolve(greetingSchema.parse(message));
  });
  const onClose = (): void => {
    if (isGreeted && !ended.aborted) onLost();
    reject(new Error("The hub closed the connection"));
  };
  socket.addEventListener("close", onClose, { once: true });
  socket.addEventListener("error", onClose, { once: true });
  socket.accept();
  const hangUp = (): void => socket.close(1000);
  // The invocation may end while the socket is being opened; an open socket would keep it alive.
  if (ended.aborted) hangUp();
  else ended.addEventListener("abort", hangUp, { once: true });
  return promise;
}
