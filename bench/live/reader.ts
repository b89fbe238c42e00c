import { connect, type Socket } from "node:net";
import process from "node:process";
import { LIVE_TOKEN } from "./live-messages.ts";

export type Delivery = { readonly latencyMs: number; readonly isReplay: boolean };

/** Well after the end of a replay: later events on a new connection count as live. */
const REPLAY_WINDOW_MS = 250;

/**
 * One open event stream over its own socket, read with minimal work: a thousand of them share a
 * core with the server under test.
 */
export class Reader {
  lost = 0;
  doubled = 0;
  reconnects = 0;
  eventBytes = 0;
  seenUpTo = 0;
  private socket: Socket | null = null;
  private text = "";
  private lastEventId: string | null = null;
  private openedAtMs = 0;
  private readonly port: number;
  private readonly onDelivery: (delivery: Delivery) => void;

  constructor(port: number, onDelivery: (delivery: Delivery) => void) {
    this.port = port;
    this.onDelivery = onDelivery;
  }

  /** Resolves when the stream has reported that it is open. */
  open(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.port, "127.0.0.1", () => socket.write(this.request()));
      this.socket = socket;
      this.text = "";
      this.openedAtMs = performance.now();
      let isOpen = false;
      socket.setEncoding("latin1");
      socket.setNoDelay(true);
      socket.on("error", reject);
      socket.on("data", (chunk: string) => {
        if (socket !== this.socket) return;
        this.take(chunk);
        if (isOpen || !this.hasBegun) return;
        isOpen = true;
        resolve();
      });
      socket.on("end", () => reject(new Error(`The stream ended: ${this.text.slice(0, 300)}`)));
    });
  }

  /** Drops the connection and reconnects at once, without EventSource's delay. */
  async cut(): Promise<void> {
    this.reconnects += 1;
    const { socket } = this;
    this.socket = null;
    this.hasBegun = false;
    socket?.destroy();
    await this.open();
  }

  close(): void {
    const { socket } = this;
    this.socket = null;
    socket?.destroy();
  }

  private hasBegun = false;

  private request(): string {
    const back = this.lastEventId === null ? "" : `Last-Event-ID: ${this.lastEventId}\r\n`;
    return (
      `GET /admin/uploads/stream HTTP/1.1\r\nHost: 127.0.0.1:${this.port}\r\n` +
      `Authorization: Bearer ${LIVE_TOKEN}\r\nAccept: text/event-stream\r\n${back}\r\n`
    );
  }

  private take(chunk: string): void {
    this.text += chunk;
    let start = 0;
    for (;;) {
      const from = this.text.indexOf("id: ", start);
      const end = from < 0 ? -1 : this.text.indexOf("\n\n", from);
      if (end < 0) break;
      this.takeEvent(from, end);
      start = end + 2;
    }
    if (start > 0) this.text = this.text.slice(start);
  }

  private takeEvent(from: number, end: number): void {
    this.lastEventId = this.text.slice(from + 4, this.text.indexOf("\n", from));
    this.hasBegun = true;
    const name = this.text.indexOf("live-", from);
    if (name < 0 || name > end) return;
    const [number = "", madeAt = ""] = this.text
      .slice(name + 5, this.text.indexOf(".ts", name))
      .split("-");
    this.eventBytes = end + 2 - from;
    this.count(Number(number));
    this.onDelivery({
      latencyMs: Number(process.hrtime.bigint() - BigInt(madeAt)) / 1e6,
      isReplay: this.reconnects > 0 && performance.now() - this.openedAtMs < REPLAY_WINDOW_MS,
    });
  }

  private count(number: number): void {
    if (number <= this.seenUpTo) this.doubled += 1;
    else {
      this.lost += number - this.seenUpTo - 1;
      this.seenUpTo = number;
    }
  }
}
