import process from "node:process";
import { Reader } from "./reader.ts";
import { readersOrderSchema, type ReadersOrder, type ReadersReport } from "./live-messages.ts";

// All readers of the bench, in a separate process so that their cost is not the server's.

/** Connections opened concurrently; the server's accept queue is limited. */
const OPENED_TOGETHER = 50;

const readers: Reader[] = [];
const latenciesMs: number[] = [];
const reconnecting = new Set<Promise<void>>();
let cutting: NodeJS.Timeout | undefined;

process.on("message", (message) => void obey(readersOrderSchema.parse(message)));
process.on("disconnect", () => process.exit(0));

async function obey(order: ReadersOrder): Promise<void> {
  switch (order.kind) {
    case "open":
      await openAll(order.port, order.readers);
      tell({ kind: "open" });
      break;
    case "cut":
      cutEverySecond(order.perSecond);
      break;
    case "report":
      await report(order.events);
      break;
  }
}

async function openAll(port: number, count: number): Promise<void> {
  while (readers.length < count) {
    const batch = Array.from(
      { length: Math.min(OPENED_TOGETHER, count - readers.length) },
      () =>
        new Reader(port, ({ latencyMs, isReplay }) => {
          if (!isReplay) latenciesMs.push(latencyMs);
        }),
    );
    readers.push(...batch);
    await Promise.all(batch.map((reader) => reader.open()));
  }
}

function cutEverySecond(perSecond: number): void {
  let next = 0;
  cutting = setInterval(() => {
    for (let count = 0; count < perSecond; count += 1) {
      const reader = readers[next % readers.length];
      next += 1;
      if (reader === undefined) continue;
      const back = reader.cut().finally(() => reconnecting.delete(back));
      reconnecting.add(back);
    }
  }, 1_000);
}

async function report(events: number): Promise<void> {
  clearInterval(cutting);
  await Promise.all(reconnecting);
  const { user, system } = process.cpuUsage();
  latenciesMs.sort((left, right) => left - right);
  tell({
    kind: "result",
    delivered: latenciesMs.length,
    lost: sum((reader) => reader.lost + events - reader.seenUpTo),
    doubled: sum((reader) => reader.doubled),
    reconnects: sum((reader) => reader.reconnects),
    eventBytes: Math.max(...readers.map((reader) => reader.eventBytes)),
    p50Ms: quantile(0.5),
    p90Ms: quantile(0.9),
    p99Ms: quantile(0.99),
    maxMs: quantile(1),
    cpuMs: (user + system) / 1_000,
  });
  for (const reader of readers) reader.close();
}

function sum(of: (reader: Reader) => number): number {
  return readers.reduce((total, reader) => total + of(reader), 0);
}

function quantile(share: number): number {
  return latenciesMs[Math.min(latenciesMs.length - 1, Math.floor(latenciesMs.length * share))] ?? 0;
}

function tell(message: ReadersReport): void {
  process.send?.(message);
}
