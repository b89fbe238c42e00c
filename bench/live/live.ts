import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { writeLedgerEntry } from "../ledger.ts";
import { medianBy } from "../median.ts";
import { endProcess, nextMessage, startHost, startProcess } from "./live-host.ts";
import { readersReportSchema, type ReadersOrder, type ReadersReport } from "./live-messages.ts";

/** docs/targets.md#live-updates */
const P99_TARGET_MS = 60;
const CPU_TARGET_SHARE = 0.4;
/** "Flat" applies to memory that is still in use after a full GC. */
const HEAP_GROWTH_TARGET_MB = 2;

/**
 * The same for resident memory, after warm-up. It includes garbage, more of it the busier the
 * machine, so that only a quiet machine is conclusive (decision 0068).
 */
const RESIDENT_GROWTH_TARGET = 0.05;

/** Growth during the first seconds is reported separately. */
const WARM_UP_SEC = 12;

/** Enough uploads that none changes often enough to be throttled by streams. */
const UPLOADS = 100;

/** For events still in flight after the last one was published. */
const SETTLE_MS = 2_000;

/**
 * Measures live updates to many readers over HTTP: latency, cost, and whether reconnecting readers
 * miss any.
 *
 *   npm run bench -- live --streams 1000 --rate 20 --seconds 20 --rounds 3 --write
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      streams: { type: "string", default: "1000" },
      rate: { type: "string", default: "20" },
      seconds: { type: "string", default: "20" },
      rounds: { type: "string", default: "3" },
      write: { type: "boolean", default: false },
    },
  });
  const load = {
    streams: Number(values.streams),
    eventsPerSec: Number(values.rate),
    seconds: Number(values.seconds),
  };
  const rounds: Figures[] = [];
  for (let turn = 0; turn < Number(values.rounds); turn += 1) {
    const figures = await measure(load, 0);
    console.log(describe(figures));
    rounds.push(figures);
  }
  const median = medianBy(rounds, (figures) => figures.p99Ms);
  const cuts = await measure(load, Math.ceil(load.streams / 20));
  console.log(`With cuts: ${describe(cuts)}`);

  const misses = [...rounds, cuts].flatMap(({ lost, doubled }) =>
    lost + doubled === 0 ? [] : [`${lost} events lost, ${doubled} doubled`],
  );
  if (median.p99Ms > P99_TARGET_MS) misses.push(`p99 over ${P99_TARGET_MS} ms`);
  if (median.cpuShare > CPU_TARGET_SHARE) misses.push(`over ${CPU_TARGET_SHARE} of a core`);
  if (Math.max(median.heapGrownMb, cuts.heapGrownMb) > HEAP_GROWTH_TARGET_MB)
    misses.push(`the used heap grew by over ${HEAP_GROWTH_TARGET_MB} MB`);
  for (const { openMb, warmUpMb, grownMb } of [median, cuts])
    if (grownMb > RESIDENT_GROWTH_TARGET * (openMb + warmUpMb))
      misses.push(`resident memory grew by over ${RESIDENT_GROWTH_TARGET * 100} % once warm`);
  for (const miss of misses) console.log(`MISSED ${miss}`);
  if (misses.length > 0) process.exitCode = 1;
  if (values.write)
    writeLedgerEntry("live", { ...load, median, withCuts: cuts, rounds: rounds.length });
}

type Load = {
  readonly streams: number;
  readonly eventsPerSec: number;
  readonly seconds: number;
};

type Figures = {
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  /** Of one core, while events were sent. */
  readonly cpuShare: number;
  readonly cpuMicrosPerDelivery: number;
  /** Resident memory with all streams open, before the first event. */
  readonly openMb: number;
  readonly warmUpMb: number;
  /** From the end of the warm-up until the last event. */
  readonly grownMb: number;
  readonly heapGrownMb: number;
  readonly eventBytes: number;
  readonly lost: number;
  readonly doubled: number;
  readonly reconnects: number;
};

async function measure(load: Load, cutsPerSec: number): Promise<Figures> {
  const host = await startHost();
  const readers = startReaders();
  try {
    await readers.ask({ kind: "open", port: host.port, readers: load.streams });
    await pause(SETTLE_MS);
    const open = await host.measure();
    if (cutsPerSec > 0) readers.order({ kind: "cut", perSecond: cutsPerSec });
    await host.publish(load.eventsPerSec, WARM_UP_SEC, UPLOADS);
    const before = await host.measure();
    const events = await host.publish(load.eventsPerSec, load.seconds, UPLOADS);
    const after = await host.measure();
    await pause(SETTLE_MS);
    const result = await readers.ask({ kind: "report", events });
    if (result.kind !== "result") throw new Error("The readers have nothing to report");
    const cpuMs = after.cpuMs - before.cpuMs;
    return {
      p50Ms: round(result.p50Ms),
      p90Ms: round(result.p90Ms),
      p99Ms: round(result.p99Ms),
      maxMs: round(result.maxMs),
      cpuShare: round(cpuMs / (after.atMs - before.atMs), 100),
      cpuMicrosPerDelivery: round(
        (cpuMs * 1_000) / (load.eventsPerSec * load.seconds * load.streams),
      ),
      openMb: round(open.rssMb),
      warmUpMb: round(before.rssMb - open.rssMb),
      grownMb: round(after.rssMb - before.rssMb),
      heapGrownMb: round(after.heapMb - before.heapMb),
      eventBytes: result.eventBytes,
      lost: result.lost,
      doubled: result.doubled,
      reconnects: result.reconnects,
    };
  } finally {
    host.end();
    readers.end();
  }
}

function startReaders() {
  const child = startProcess("readers-process.ts", []);
  return {
    async ask(order: ReadersOrder): Promise<ReadersReport> {
      const answer = nextMessage(child);
      child.send(order);
      return readersReportSchema.parse(await answer);
    },
    order: (order: ReadersOrder) => child.send(order),
    end: () => endProcess(child),
  };
}

function round(number: number, steps = 10): number {
  return Math.round(number * steps) / steps;
}

function describe(figures: Figures): string {
  return (
    `p50 ${figures.p50Ms} ms, p90 ${figures.p90Ms} ms, p99 ${figures.p99Ms} ms, max ${figures.maxMs} ms; ` +
    `${Math.round(figures.cpuShare * 100)} % of a core, ${figures.cpuMicrosPerDelivery} µs a delivery of ${figures.eventBytes} bytes; ` +
    `${figures.openMb} MB open, ${figures.warmUpMb} MB more once warm, ` +
    `${figures.grownMb} MB more after that (${figures.heapGrownMb} of heap); ` +
    `${figures.lost} lost, ${figures.doubled} doubled, ${figures.reconnects} reconnects`
  );
}
