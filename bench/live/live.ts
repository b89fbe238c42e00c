import { fork } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import * as z from "zod/mini";
import { writeLedgerEntry } from "../ledger.ts";
import { quantile } from "../lists/quantile.ts";
import { LIVE_TOKEN, startHost } from "./live-host.ts";
import type { Received } from "./readers-process.ts";

/** docs/targets.md#live-updates */
const STREAMS = 1_000;
const EVENTS_PER_SEC = 20;
const P99_TARGET_MS = 60;
const CPU_TARGET_SHARE = 0.4;

/** Uploads that change in turn. */
const UPLOADS = 100;

/** Events that are published before anything is measured. */
const WARM_UP_SEC = 5;

/** For events still in flight after the last one was published. */
const SETTLE_MS = 2_000;

const receivedSchema: z.ZodMiniType<Received> = z.object({
  latenciesMs: z.array(z.number()),
  fewestEvents: z.number(),
});

/** Measures live updates to many readers over HTTP: `--seconds 20`, `--write` for the ledger. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seconds: { type: "string", default: "20" },
      write: { type: "boolean", default: false },
    },
  });
  const seconds = Number(values.seconds);
  const host = await startHost();
  const readers = fork(fileURLToPath(new URL("readers-process.ts", import.meta.url)), [
    String(host.port),
    String(STREAMS),
    LIVE_TOKEN,
  ]);
  const nextMessage = async (): Promise<unknown> => {
    const [message]: unknown[] = await once(readers, "message");
    return message;
  };
  const report = async (): Promise<Received> => {
    await pause(SETTLE_MS);
    readers.send("report");
    return receivedSchema.parse(await nextMessage());
  };
  await nextMessage();
  await host.publish(EVENTS_PER_SEC, WARM_UP_SEC, UPLOADS);
  await report();
  const before = process.cpuUsage();
  const events = await host.publish(EVENTS_PER_SEC, seconds, UPLOADS);
  const { user, system } = process.cpuUsage(before);
  const { latenciesMs, fewestEvents } = await report();
  readers.disconnect();
  await host.end();

  const sortedMs = latenciesMs.toSorted((left, right) => left - right);
  const figures = {
    p50Ms: quantile(sortedMs, 0.5),
    p99Ms: quantile(sortedMs, 0.99),
    maxMs: quantile(sortedMs, 1),
    /** Of one core, while events were sent. */
    cpuShare: (user + system) / 1e6 / seconds,
    lost: events - fewestEvents,
  };
  console.log(figures);
  if (figures.p99Ms > P99_TARGET_MS || figures.cpuShare > CPU_TARGET_SHARE || figures.lost > 0) {
    console.log(`MISSED ${P99_TARGET_MS} ms, ${CPU_TARGET_SHARE} of a core, or an event`);
    process.exitCode = 1;
  }
  if (values.write)
    writeLedgerEntry("live", {
      streams: STREAMS,
      eventsPerSec: EVENTS_PER_SEC,
      seconds,
      ...figures,
    });
  process.exit();
}
