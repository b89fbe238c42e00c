import { setTimeout as pause } from "node:timers/promises";
import { BENCH_TOKEN } from "./seeded-folder.ts";
import { quantile } from "./quantile.ts";

/** The calls per second of fifty administrators with three busy tabs each (docs/security.md). */
export const POLLS_PER_SEC = 60;

const POLLED = [
  "/admin/uploads?page=1",
  "/admin/uploads?page=1",
  "/admin/uploads?page=1&limit=5",
  "/admin/dashboard/stats",
  "/admin/system/metrics",
  "/admin/system/logs?level=error&limit=100",
  "/admin/uploads/failed?page=1",
  "/admin/users?page=1",
  "/admin/r2/browse?page=1",
  "/admin/uploads?search=speedrun",
];

export type PollFigures = {
  readonly requests: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
};

/**
 * Sends requests over HTTP at a fixed rate, regardless of pending responses. Latency counts from
 * the time a request was due, so that no stall is hidden. @throws when a response is not a success
 */
export async function poll(address: string, seconds: number): Promise<PollFigures> {
  const times: number[] = [];
  const answers: Promise<void>[] = [];
  async function askInTime(path: string, dueMs: number): Promise<void> {
    await ask(address + path);
    times.push(performance.now() - dueMs);
  }
  const startedMs = performance.now();
  for (let sent = 0; sent < seconds * POLLS_PER_SEC; sent += 1) {
    const dueMs = startedMs + (sent * 1_000) / POLLS_PER_SEC;
    await pause(Math.max(0, dueMs - performance.now()));
    answers.push(askInTime(POLLED[sent % POLLED.length] ?? "", dueMs));
  }
  await Promise.all(answers);
  times.sort((left, right) => left - right);
  return {
    requests: times.length,
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    maxMs: times.at(-1) ?? 0,
  };
}

async function ask(url: string): Promise<void> {
  const response = await fetch(url, { headers: { authorization: `Bearer ${BENCH_TOKEN}` } });
  await response.arrayBuffer();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
}
