import { connect, type Socket } from "node:net";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";

// Reads many event streams in a process of its own, so that their cost is not the server's:
// `readers-process.ts PORT READERS TOKEN`. Sends "open", and after each "report" what the
// streams have received since the last.

export type Received = {
  readonly latenciesMs: readonly number[];
  /** Since the start, by the reader that received the fewest. */
  readonly fewestEvents: number;
};

const [port = "", readers = "", token = ""] = process.argv.slice(2);
const latenciesMs: number[] = [];
const counts: number[] = [];

/** Opens one stream and reads it with minimal work; resolves when it is open. */
function openStream(reader: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    let text = "";
    counts[reader] = 0;
    const socket = connect(Number(port), "127.0.0.1", () =>
      socket.write(
        `GET /admin/uploads/stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n` +
          `Authorization: Bearer ${token}\r\nAccept: text/event-stream\r\n\r\n`,
      ),
    );
    socket.setEncoding("latin1").setNoDelay(true);
    socket.on("error", reject);
    socket.on("end", () => reject(new Error(`The stream ended: ${text.slice(0, 300)}`)));
    socket.on("data", (chunk: string) => {
      const events = (text + chunk).split("\n\n");
      text = events.pop() ?? "";
      if (events.length > 0) resolve(socket);
      for (const event of events) {
        const [, madeAt] = /live-\d+-(\d+)\.ts/.exec(event) ?? [];
        if (madeAt === undefined) continue;
        counts[reader] = (counts[reader] ?? 0) + 1;
        latenciesMs.push(Number(process.hrtime.bigint() - BigInt(madeAt)) / 1e6);
      }
    });
  });
}

process.on("disconnect", () => process.exit(0));
process.on("message", () => {
  const received: Received = {
    latenciesMs: latenciesMs.splice(0),
    fewestEvents: Math.min(...counts),
  };
  process.send?.(received);
});
for (let reader = 0; reader < Number(readers); reader += 1) await openStream(reader);
await pause(1_000);
process.send?.("open");
