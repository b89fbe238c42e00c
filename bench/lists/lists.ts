import process from "node:process";
import { parseArgs } from "node:util";
import { systemClock } from "#hosts/ports/clock.ts";
import { createLogSink } from "#hosts/node/log-sink.ts";
import { openNodePlatform } from "#hosts/node/platform.ts";
import { createService, type Service } from "#service/app.ts";
import { sql } from "#service/db/sql.ts";
import { readSettings } from "#service/settings.ts";
import { conditions, readLedgerEntry, writeLedgerEntry } from "../ledger.ts";
import { involvedCalls, plainCalls } from "./list-calls.ts";
import { quantile } from "./quantile.ts";
import { BENCH_TOKEN, openSeededFolder, usersOf } from "./seeded-folder.ts";
import * as z from "zod/mini";

/**
 * Measures list and search calls over tables of different sizes. Each call passes through the whole
 * service (session, rights, validation, queries, JSON) without a socket.
 *
 *   npm run bench -- lists --rounds 60 --write
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      sizes: { type: "string", default: "10000,1000000" },
      rounds: { type: "string", default: "60" },
      write: { type: "boolean", default: false },
    },
  });
  const results: Record<string, unknown> = {};
  const calls: Record<string, CallFigures>[] = [];
  for (const size of values.sizes.split(",").map(Number)) {
    const folder = await openSeededFolder(size);
    console.log(`\n${size} uploads, ${size} files, ${usersOf(size)} users`);
    const figures = await measureCalls(folder, size, Number(values.rounds));
    calls.push(figures);
    results[`calls ${size}`] = { measured: conditions(), ...mapValues(figures, describeCall) };
  }
  const misses = missesOfCalls(calls.at(0) ?? {}, calls.at(-1) ?? {});
  for (const miss of misses) console.log(`MISSED ${miss}`);
  if (misses.length > 0) process.exitCode = 1;
  if (values.write) {
    const kept = ledgerEntrySchema.safeParse(readLedgerEntry("lists"));
    writeLedgerEntry("lists", { ...kept.data, ...conditions(), ...results });
  }
}

/** A run replaces only its own figures; each entry has the conditions of its measurement. */
const ledgerEntrySchema = z.record(z.string(), z.unknown());

/** docs/targets.md: for any list size. Searches combined with filters or orders are involved. */
const P99_TARGETS_MS = { plain: 20, page: 60, search: 60, involved: 150 } as const;
/** Largest size divided by smallest. */
const GROWTH_TARGET = 2;
/** A faster call is not slow at any size, and its ratio is noise. */
const NOTICEABLE_MS = 5;

type CallFigures = {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMs: number;
  readonly kind: keyof typeof P99_TARGETS_MS;
};

async function measureCalls(
  folder: string,
  size: number,
  rounds: number,
): Promise<Record<string, CallFigures>> {
  const settings = readSettings({
    SECRET_KEY: "a key for benches, not for keeping",
    TWITCH_CLIENT_ID: "bench",
    TWITCH_CLIENT_SECRET: "bench",
    RATE_LIMIT_FACTOR: "1000000",
  });
  const host = await openNodePlatform(settings, folder, createLogSink(systemClock, { write() {} }));
  const service = await createService(host.platform, settings);
  const figures: Record<string, CallFigures> = {};
  const [middle] = await host.platform.database.all(
    sql`SELECT object_key FROM files WHERE seq > ${size / 2} AND recorded_at IS NOT NULL LIMIT 1`,
  );
  const neighbours = ["a file's neighbours", `/admin/r2/neighbours/${middle?.object_key}`] as const;
  const plain = [...plainCalls(size), neighbours];
  for (const [index, [name, path]] of [...plain, ...involvedCalls(size)].entries()) {
    const isInvolved = index >= plain.length;
    const kind = isInvolved ? "involved" : kindOf(name);
    const measured = { ...(await time(rounds, () => call(service, path))), kind };
    figures[name] = measured;
    console.log(`${name.padEnd(44)} ${describeCall(measured)}`);
  }
  await service.stop();
  await host.quiesce();
  await host.close();
  return figures;
}

function kindOf(name: string): CallFigures["kind"] {
  if (name.includes("search")) return "search";
  return name.includes("page 5,000") || name.includes("deep page") ? "page" : "plain";
}

async function time(
  rounds: number,
  ask: () => Promise<number>,
): Promise<Pick<CallFigures, "p50Ms" | "p99Ms" | "cpuMs">> {
  // The first calls prepare statements and warm the page cache.
  for (let round = 0; round < 3; round += 1) await ask();
  const times: number[] = [];
  const cpuBefore = process.cpuUsage();
  for (let round = 0; round < rounds; round += 1) times.push(await ask());
  const cpu = process.cpuUsage(cpuBefore);
  times.sort((left, right) => left - right);
  return {
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    cpuMs: (cpu.user + cpu.system) / 1_000 / rounds,
  };
}

async function call(service: Service, path: string): Promise<number> {
  const startedMs = performance.now();
  const response = await service.fetch(
    new Request(`http://localhost:8787${path}`, {
      headers: { authorization: `Bearer ${BENCH_TOKEN}` },
    }),
    { clientAddress: "127.0.0.1" },
  );
  await response.arrayBuffer();
  const spentMs = performance.now() - startedMs;
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  return spentMs;
}

function describeCall(figures: CallFigures): string {
  const columns = [
    ["p50", figures.p50Ms],
    ["p99", figures.p99Ms],
    ["CPU", figures.cpuMs],
  ] as const;
  return columns.map(([column, ms]) => `${column} ${ms.toFixed(2).padStart(6)} ms`).join("  ");
}

function missesOfCalls(
  smallest: Readonly<Record<string, CallFigures>>,
  largest: Readonly<Record<string, CallFigures>>,
): string[] {
  return Object.entries(largest).flatMap(([name, { p99Ms, kind }]) => {
    const growth = p99Ms / (smallest[name]?.p99Ms ?? p99Ms);
    if (p99Ms > P99_TARGETS_MS[kind]) return [`${name}: p99 ${p99Ms.toFixed(1)} ms`];
    return kind === "plain" && p99Ms > NOTICEABLE_MS && growth > GROWTH_TARGET
      ? [`${name}: p99 ${p99Ms.toFixed(1)} ms, ${growth.toFixed(1)} times the smallest size's`]
      : [];
  });
}

function mapValues<From, To>(
  record: Readonly<Record<string, From>>,
  change: (value: From) => To,
): Record<string, To> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}
