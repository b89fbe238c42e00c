import { DurableObject } from "cloudflare:workers";
import type { LiveEvent } from "#service/ports/live-hub.ts";
import type { Bindings } from "./bindings.ts";

/** Replayed to readers that reconnect: half a minute at the design limit of 20 events a second. */
const KEPT_EVENTS = 600;

/** Old events are deleted once per this many events, which costs less than each time. */
const DROP_EVERY = 100;

/** A topic's ids start at the clock, so that ids from before a wipe count as missed. */
const IDS_PER_MS = 1_000;

/** The first message on a reader's socket: its position and the events it missed. */
export type HubGreeting = {
  readonly missed: boolean;
  readonly lastId: number;
  readonly replay: readonly LiveEvent[];
};

/**
 * Publish and subscribe for all Workers. A reader is a WebSocket tagged with its topic. Between
 * events the object hibernates with its sockets open, which costs nothing. Events are kept in its
 * SQLite storage, so neither hibernation nor a deployment loses one.
 */
export class LiveHubObject extends DurableObject<Bindings> {
  private readonly sql: SqlStorage;

  constructor(ctx: DurableObjectState, env: Bindings) {
    super(ctx, env);
    this.sql = ctx.storage.sql;
    this.sql.exec(`CREATE TABLE IF NOT EXISTS events (
      topic TEXT NOT NULL, id INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (topic, id)
    ) WITHOUT ROWID`);
    this.sql.exec(`CREATE TABLE IF NOT EXISTS topics (
      topic TEXT PRIMARY KEY, begins_after_id INTEGER NOT NULL
    ) WITHOUT ROWID`);
  }

  publish(topic: string, data: string): void {
    const id = this.lastId(topic) + 1;
    this.sql.exec("INSERT INTO events (topic, id, data) VALUES (?, ?, ?)", topic, id, data);
    if (id % DROP_EVERY === 0)
      this.sql.exec("DELETE FROM events WHERE topic = ? AND id <= ?", topic, id - KEPT_EVENTS);
    const text = JSON.stringify({ id, data } satisfies LiveEvent);
    for (const socket of this.ctx.getWebSockets(topic)) socket.send(text);
  }

  /**
   * Accepts a WebSocket. `?topic=` subscribes a reader that has seen events up to `?after=`.
   * `?place=` acquires one of `?of=` slots of that name for as long as the socket is open.
   */
  override async fetch(request: Request): Promise<Response> {
    const query = new URL(request.url).searchParams;
    const place = query.get("place");
    if (place !== null) return this.givePlace(place, Number(query.get("of")));
    const topic = query.get("topic");
    if (topic === null || request.headers.get("upgrade") !== "websocket")
      return new Response(null, { status: 426 });
    const after = query.get("after");
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server, [topic]);
    server.send(JSON.stringify(this.greet(topic, after === null ? null : Number(after))));
    return new Response(null, { status: 101, webSocket: client });
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }

  private givePlace(name: string, places: number): Response {
    const tag = `place ${name}`;
    if (this.ctx.getWebSockets(tag).length >= places) return new Response(null, { status: 409 });
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server, [tag]);
    return new Response(null, { status: 101, webSocket: client });
  }

  private greet(topic: string, after: number | null): HubGreeting {
    const lastId = this.lastId(topic);
    if (after === null) return { missed: false, lastId, replay: [] };
    const [first] = this.sql.exec<{ id: number | null }>(
      "SELECT min(id) AS id FROM events WHERE topic = ?",
      topic,
    );
    if (after < (first?.id ?? lastId + 1) - 1 || after > lastId)
      return { missed: true, lastId, replay: [] };
    const replay = this.sql.exec<LiveEvent>(
      "SELECT id, data FROM events WHERE topic = ? AND id > ? ORDER BY id",
      topic,
      after,
    );
    return { missed: false, lastId, replay: replay.toArray() };
  }

  private lastId(topic: string): number {
    const [last] = this.sql.exec<{ id: number | null }>(
      "SELECT max(id) AS id FROM events WHERE topic = ?",
      topic,
    );
    return last?.id ?? this.beginning(topic);
  }

  /** The initial position of a topic without events; every caller gets the same one. */
  private beginning(topic: string): number {
    const [known] = this.sql.exec<{ id: number }>(
      "SELECT begins_after_id AS id FROM topics WHERE topic = ?",
      topic,
    );
    if (known !== undefined) return known.id;
    const id = Date.now() * IDS_PER_MS;
    this.sql.exec("INSERT INTO topics (topic, begins_after_id) VALUES (?, ?)", topic, id);
    return id;
  }
}
