import process from "node:process";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { sql } from "#service/db/sql.ts";
import { writeLedgerEntry } from "../ledger.ts";
import { openMeasuredWorker, type MeasuredWorker } from "./measured-worker.ts";
import type { IsolateMemory } from "./isolate-inspector.ts";
import { type ProcessorTime, workerdTime } from "./processor-time.ts";

/** 800 MB in segments the size of a 1080p60 source (docs/twitch.md#segments). */
const SEGMENTS = 96;
const SEGMENT_BYTES = 8_400_000;

/** The largest parts, with segments larger than any on Twitch. */
const LARGEST_PART_BYTES = 32 * 1024 * 1024;
const LARGE_SEGMENTS = 18;
const LARGE_SEGMENT_BYTES = 12_500_000;

/** A store slow enough for the engine to fetch ahead as much as it may. */
const SLOW_PART_MS = 3_000;

/** The default 30 s of CPU time must suffice to read 30 GB. */
const MOST_CPU_MS_PER_MB = 1;

/** Of the 128 MB of an isolate, which may also serve API calls. */
const MOST_MB = 96;

/** The scheduler's cost per second is measured while idle and subtracted. */
const IDLE_MS = 5_000;

const SAMPLE_MS = 25;

/** Timeout: an archive that failed never completes. */
const LONGEST_MS = 180_000;

const DIGESTS = 64;
const DIGESTED_BYTES = DIGESTS * 8 * 1024 * 1024;

/** Measures CPU time and memory of copying in workerd; `--write` records them in the ledger. */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: { write: { type: "boolean", default: false } },
  });
  const worker = await openMeasuredWorker();
  try {
    const cpu = await measureCpu(worker);
    const memory = await measureMemory(worker);
    console.log({ cpu, memory });
    if ((cpu["isolateRest"] ?? 0) > MOST_CPU_MS_PER_MB || (memory["withGarbage"] ?? 0) > MOST_MB) {
      console.log(`Aims: ${MOST_CPU_MS_PER_MB} ms a MB beside hashing, ${MOST_MB} MB.`);
      process.exitCode = 1;
    }
    if (values.write) writeLedgerEntry("workerd", { cpuMsPerMb: cpu, sliceMb: memory });
  } finally {
    await worker.close();
  }
}

/**
 * Samples tell how much of an isolate's time is hashing, whose duration is measured separately. The
 * process's figures are an upper bound: they include the emulators and the event loop, which
 * Cloudflare does not bill.
 */
async function measureCpu(worker: MeasuredWorker): Promise<Readonly<Record<string, number>>> {
  const sha256 = await digestMsPerMb(worker, "SHA-256");
  const md5 = await digestMsPerMb(worker, "MD5");
  await copy(worker, { id: "warm", segments: 12, segmentBytes: SEGMENT_BYTES });
  const idle = await timeOf(() => pause(IDLE_MS));
  const busy = await timeOf(() =>
    copy(worker, { id: "cpu", segments: SEGMENTS, segmentBytes: SEGMENT_BYTES }),
  );
  const copiedMb = (SEGMENTS * SEGMENT_BYTES) / 1e6;
  const perMb = (of: "userMs" | "systemMs") =>
    (busy[of] - (idle[of] / idle.tookMs) * busy.tookMs) / copiedMb;
  const isolate = await worker.inspect();
  const { digests, others } = await isolate.sample(() =>
    copy(worker, { id: "sampled", segments: SEGMENTS, segmentBytes: SEGMENT_BYTES }),
  );
  isolate.close();
  return rounded({
    isolateDigests: sha256 + md5,
    isolateRest: ((sha256 + md5) * others) / digests,
    processUser: perMb("userMs"),
    processSystem: perMb("systemMs"),
  });
}

type Spent = ProcessorTime & { readonly tookMs: number };

async function timeOf(doing: () => Promise<void>): Promise<Spent> {
  const from = workerdTime();
  const startedMs = performance.now();
  await doing();
  const { userMs, systemMs } = workerdTime();
  return {
    userMs: userMs - from.userMs,
    systemMs: systemMs - from.systemMs,
    tookMs: performance.now() - startedMs,
  };
}

async function digestMsPerMb({ url }: MeasuredWorker, algorithm: string): Promise<number> {
  const { userMs } = await timeOf(async () => {
    const answer = await fetch(`${url}/digest?algorithm=${algorithm}&times=${DIGESTS}`);
    await answer.arrayBuffer();
  });
  return userMs / (DIGESTED_BYTES / 1e6);
}

type Archive = {
  readonly id: string;
  readonly segments: number;
  readonly segmentBytes: number;
  readonly partBytes?: number;
};

/** Archives until everything is copied. */
async function copy(
  worker: MeasuredWorker,
  { id, segments, segmentBytes, partBytes }: Archive,
): Promise<void> {
  const vod = worker.twitch.control.addVod({
    segmentCount: segments,
    segmentSizeBytes: segmentBytes,
  });
  worker.change([
    sql`INSERT OR IGNORE INTO users (id, login, display_name, created_at)
      VALUES (${vod.ownerId}, 'own', 'Own', 0)`,
    sql`INSERT INTO uploads (id, kind, vod_id, filename, owner_id, rights, status, max_retries,
        multipart_id, part_size_bytes, created_at, updated_at)
      VALUES (${id}, 'twitch', ${vod.id}, 'measured', ${vod.ownerId}, 'administrator_confirmed',
        'pending', 0, ${partBytes === undefined ? null : id}, ${partBytes ?? null}, 0, 0)`,
  ]);
  const copied = worker.sink.nextObject();
  await worker.wake(id);
  await Promise.race([
    copied,
    pause(LONGEST_MS, undefined, { ref: false }).then(() => {
      throw new Error(`Nothing was archived within ${LONGEST_MS} ms`);
    }),
  ]);
}

/**
 * Measures an isolate's live memory, and its memory including garbage, which is not collected under
 * pressure here: the local runtime sets no limit.
 */
async function measureMemory(worker: MeasuredWorker): Promise<Readonly<Record<string, number>>> {
  const isolate = await worker.inspect();
  await isolate.collectGarbage();
  const idleBytes = total(await isolate.memory());
  worker.sink.partMs = SLOW_PART_MS;
  let heldBytes = 0;
  let allBytes = 0;
  const copied = new AbortController();
  const large = { segments: LARGE_SEGMENTS, segmentBytes: LARGE_SEGMENT_BYTES };
  const copying = copy(worker, { id: "memory", ...large, partBytes: LARGEST_PART_BYTES }).finally(
    () => copied.abort(),
  );
  while (!copied.signal.aborted) {
    await pause(SAMPLE_MS);
    allBytes = Math.max(allBytes, total(await isolate.memory()));
    await isolate.collectGarbage();
    heldBytes = Math.max(heldBytes, total(await isolate.memory()));
  }
  await copying;
  isolate.close();
  return rounded({
    idle: idleBytes / 1e6,
    held: heldBytes / 1e6,
    withGarbage: allBytes / 1e6,
  });
}

function total({ heapBytes, bufferBytes }: IsolateMemory): number {
  return heapBytes + bufferBytes;
}

function rounded(figures: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(figures).map(([name, value]) => [name, Math.round(value * 100) / 100]),
  );
}
