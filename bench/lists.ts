import { createHash } from "node:crypto";
import { mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { parseArgs } from "node:util";
import { PERMISSIONS } from "#contract/permissions.ts";
import { systemClock } from "#hosts/node/clock.ts";
import { openSqliteDatabase } from "#hosts/node/database.ts";
import { createLogSink } from "#hosts/node/log-sink.ts";
import { openNodePlatform } from "#hosts/node/platform.ts";
import { createService, type Service } from "#service/app.ts";
import { hashToken } from "#service/auth/session-tokens.ts";
import { migrate } from "#service/db/migrate.ts";
import { sql } from "#service/db/sql.ts";
import type { Database, Platform } from "#service/platform.ts";
import { readSettings } from "#service/settings.ts";
import { seedRows } from "../scripts/seed-rows.ts";

/**
 * How long list and search calls take over tables of different sizes: each call goes through the
 * whole service (session, rights, validation, queries, JSON), without a socket in between.
 *
 *   npm run bench -- lists --sizes 10000,100000,1000000
 *
 * Seeded databases are kept between runs in the system's folder for temporary files.
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      sizes: { type: "string", default: "10000,100000" },
      rounds: { type: "string", default: "60" },
      "poll-seconds": { type: "string", default: "10" },
    },
  });
  const failures: string[] = [];
  for (const size of values.sizes.split(",").map(Number)) {
    failures.push(...(await measure(size, Number(values.rounds), Number(values["poll-seconds"]))));
  }
  for (const failure of failures) console.log(`OVER BUDGET ${failure}`);
  if (failures.length > 0) process.exitCode = 1;
}

/** design.md section 9: whatever the list's size. */
const P99_BUDGET_MS = 20;

const TOKEN = "b".repeat(64);

async function measure(size: number, rounds: number, pollSeconds: number): Promise<string[]> {
  const folder = join(tmpdir(), `vodkeep-bench-lists-${size}-${await schemaFingerprint()}`);
  mkdirSync(folder, { recursive: true });
  const settings = readSettings({
    SECRET_KEY: "a key for benches, not for keeping",
    TWITCH_CLIENT_ID: "bench",
    TWITCH_CLIENT_SECRET: "bench",
    RATE_LIMIT_FACTOR: "1000000",
  });
  const host = await openNodePlatform(settings, folder, createLogSink(systemClock, { write() {} }));
  const users = Math.max(100, Math.round(size / 50));
  await seedOnce(host.platform.database, { uploads: size, users, files: size });
  await openSession(host.platform);
  const service = await createService(host.platform, settings);

  console.log(`\n${size} uploads, ${size} files, ${users} users`);
  const failures: string[] = [];
  for (const [name, path] of callsOver(size)) {
    const cpuBefore = process.cpuUsage();
    const times = await time(service, path, rounds);
    const cpu = process.cpuUsage(cpuBefore);
    const cpuMs = (cpu.user + cpu.system) / 1_000 / rounds;
    const p99 = quantile(times, 0.99);
    const columns = { p50: quantile(times, 0.5), p99, "CPU a call": cpuMs };
    const figures = Object.entries(columns).map(
      ([column, ms]) => `${column} ${ms.toFixed(2).padStart(7)}`,
    );
    console.log(`${name.padEnd(44)} ${figures.join("  ")} ms`);
    if (p99 > P99_BUDGET_MS) failures.push(`${size}: ${name} ${p99.toFixed(1)} ms`);
  }
  await poll(service, pollSeconds);
  await service.stop();
  await host.quiesce();
  await host.close();
  return failures;
}

/** A kept database of another schema would measure something else. */
async function schemaFingerprint(): Promise<string> {
  const database = openSqliteDatabase(":memory:");
  await migrate(database, 0);
  const schema = await database.all(sql`SELECT sql FROM sqlite_master ORDER BY name`);
  await database.close();
  return createHash("sha256").update(JSON.stringify(schema)).digest("hex").slice(0, 8);
}

async function seedOnce(
  database: Database,
  counts: { uploads: number; users: number; files: number },
): Promise<void> {
  const [row] = await database.all(sql`SELECT count(*) AS files FROM files`);
  if (row?.files === counts.files) return;
  const startedMs = performance.now();
  await seedRows(database, counts, Date.now(), () => {});
  console.log(`seeded in ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`);
}

async function openSession({ database, digests }: Platform): Promise<void> {
  const nowMs = Date.now();
  const far = nowMs + 3_600_000;
  const hash = await hashToken(digests, TOKEN);
  await database.batch([
    sql`INSERT INTO users (id, login, display_name, permissions, created_at)
      VALUES ('1', 'bench', 'Bench', ${JSON.stringify(PERMISSIONS)}, ${nowMs})
      ON CONFLICT (id) DO NOTHING`,
    sql`INSERT INTO sessions (id, user_id, cookie_hash, bearer_hash, bearer_expires_at, created_at,
        last_seen_at, expires_at)
      VALUES ('bench', '1', 'none', ${hash}, ${far}, ${nowMs}, ${nowMs}, ${far})
      ON CONFLICT (id) DO UPDATE SET bearer_expires_at = ${far}, last_seen_at = ${nowMs},
        expires_at = ${far}`,
  ]);
}

const uploads = (query: string) => `/admin/uploads?${query}`;
const files = (query: string) => `/admin/r2/browse?${query}`;
const users = (query: string) => `/admin/users?${query}`;

/** Query shapes an administrator can ask for, the worst ones included. */
function callsOver(size: number): readonly (readonly [string, string])[] {
  const lastPage = Math.floor(size / 20);
  const deepPage = Math.floor(lastPage / 2);
  return [
    ["dashboard stats", "/admin/dashboard/stats"],
    ["system metrics", "/admin/system/metrics"],
    ["uploads, first page", uploads("page=1")],
    ["uploads, middle page", uploads(`page=${deepPage}`)],
    ["uploads, last page", uploads(`page=${lastPage}`)],
    ["uploads, failed", uploads("status=failed")],
    [
      "uploads, completed, middle page",
      uploads(`status=completed&page=${Math.floor(deepPage * 0.9)}`),
    ],
    ["uploads, of one user", uploads("userId=9000000007")],
    ["uploads by name", uploads("sortBy=filename&sortOrder=asc")],
    ["uploads by name, middle page", uploads(`sortBy=filename&page=${deepPage}`)],
    ["uploads by size, failed, page 30", uploads("sortBy=size&status=failed&page=30")],
    ["uploads by status, middle page", uploads(`sortBy=status&page=${deepPage}`)],
    ["search: every row (.ts)", uploads("search=.ts")],
    ["search: every row, page 400", uploads("search=.ts&page=400")],
    ["search: a common word (speedrun)", uploads("search=speedrun")],
    ["search: two words (race coop)", uploads("search=race%20coop")],
    ["search: one row (VOD id)", uploads(`search=${2_000_000_000 + Math.floor(size / 3)}`)],
    ["search: nothing", uploads("search=no%20such%20thing")],
    ["search: one character (e)", uploads("search=e")],
    ["search: a rare character (Q)", uploads("search=Q")],
    ["search: two characters (zq), no match", uploads("search=zq")],
    ["search: common + failed", uploads("search=speedrun&status=failed")],
    ["search: every row + a status without rows", uploads("search=.ts&status=processing")],
    ["search: two words + failed", uploads("search=race%20coop&status=failed")],
    ["search: common, by name", uploads("search=speedrun&sortBy=filename")],
    ["search: two words, by size", uploads("search=race%20coop&sortBy=size")],
    ["search: common, of one user", uploads("search=speedrun&userId=9000000007")],
    ["failed, first page", "/admin/uploads/failed?page=1"],
    ["failed, deep page", `/admin/uploads/failed?page=${Math.floor(size / 600)}`],
    ["failed, one cause", "/admin/uploads/failed?failureClass=storage"],
    ["failed, search: common", "/admin/uploads/failed?search=source"],
    ["failed, search: an owner", "/admin/uploads/failed?search=aurora_basil"],
    ["files, first page", files("page=1")],
    ["files, middle page", files(`page=${Math.floor(deepPage * 0.8)}`)],
    ["files by name", files("sortBy=name&sortOrder=asc")],
    ["files by size, orphaned", files("sortBy=size&status=orphaned")],
    ["files by user", files("sortBy=user&sortOrder=asc")],
    ["files, manual", files("uploadType=manual")],
    ["files, of one user", files("userId=9000000007")],
    ["files, search: every row", files("search=vod")],
    ["files, search: one row", files(`search=${2_000_000_000 + Math.floor(size / 3)}`)],
    ["files, search: two characters", files("search=qz")],
    ["files, search: common, by size", files("search=aurora&sortBy=size")],
    ["files, search + status", files("search=aurora&status=orphaned")],
    ["file stats", "/admin/r2/stats"],
    ["users, first page", users("page=1")],
    ["users, middle page by name", users(`sortBy=displayName&page=${Math.ceil(size / 2_000)}`)],
    ["users, administrators", users("isAdmin=true")],
    ["users, not banned", users("isBanned=false")],
    ["users, search: common", users("search=aurora")],
    ["users, search: an address", users("search=delta_moss7@example")],
    ["users, search: one character", users("search=x")],
    ["users, search + administrators", users("search=aurora&isAdmin=true")],
    ["audit, first page", "/admin/audit?page=1"],
    ["audit, search", "/admin/audit?search=session"],
  ];
}

async function time(service: Service, path: string, rounds: number): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push(await call(service, path));
  // The first call prepares statements and warms pages.
  return times.slice(1).sort((left, right) => left - right);
}

async function call(service: Service, path: string): Promise<number> {
  const startedMs = performance.now();
  const response = await service.fetch(
    new Request(`http://localhost:8787${path}`, { headers: { authorization: `Bearer ${TOKEN}` } }),
    { clientAddress: "127.0.0.1" },
  );
  await response.arrayBuffer();
  const spentMs = performance.now() - startedMs;
  if (response.status !== 200) throw new Error(`${path} answered ${response.status}`);
  return spentMs;
}

/** What fifty administrators with three busy tabs ask for: sixty calls a second (security.md section 5). */
async function poll(service: Service, seconds: number): Promise<void> {
  const polled = [
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
  const times: number[] = [];
  const startedMs = performance.now();
  for (let sent = 0; sent < seconds * 60; sent += 1) {
    const dueMs = startedMs + (sent * 1_000) / 60;
    await systemClock.sleep(Math.max(0, dueMs - performance.now()));
    // Late calls count from when they were due, so that a stall is not hidden.
    await call(service, polled[sent % polled.length] ?? "");
    times.push(performance.now() - Math.max(dueMs, startedMs));
  }
  times.sort((left, right) => left - right);
  console.log(
    `60 mixed calls a second for ${seconds} s: p50 ${quantile(times, 0.5).toFixed(2)} ms, p99 ${quantile(times, 0.99).toFixed(2)} ms`,
  );
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
