import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, mkdirSync, renameSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { backUpNow, readBackups } from "#contract/backups.ts";
import { makeTemporaryFolder } from "#hosts/node/testing/temporary-folder.ts";
import type { TestClient } from "#service/testing/test-client.ts";
import { conditions, writeLedgerEntry } from "../ledger.ts";
import { openSeededFolder } from "../lists/seeded-folder.ts";
import { quantile } from "../lists/quantile.ts";
import { killableNodeHost } from "../rigs/killable-node.ts";
import { openRigHost } from "../rigs/rig-host.ts";

/**
 * Calls the service without pause while it archives over seeded tables: first for a while without a
 * backup, then during the nightly one, then during `vodkeep backup`. Restores the nightly one into a
 * new folder, and compares the rows.
 *
 *   npm run bench -- backup --uploads 1000000 --write
 */
export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      uploads: { type: "string", default: "1000000" },
      write: { type: "boolean", default: false },
    },
  });
  const seeded = await openSeededFolder(Number(values.uploads));
  await using folder = await makeTemporaryFolder();
  const [data, restored] = [join(folder.path, "data"), join(folder.path, "restored")];
  for (const path of [data, restored]) mkdirSync(path);
  copyFileSync(join(seeded, "vodkeep.db"), join(data, "vodkeep.db"));
  const rig = await openRigHost(killableNodeHost(data));
  const host = await rig.startHost();
  const client = await rig.signIn();
  for (let archive = 0; archive < 2; archive += 1)
    await rig.archive(client, { ...LONG_VOD, paceBytesPerSecond: 5_000_000 });

  const without = await measure(client, () => pause(30_000));
  const nightly = await measure(client, async () => {
    await client.expect(backUpNow);
    for (;;) {
      await pause(200);
      const { last, isRunning, failure } = await client.expect(readBackups);
      if (failure !== null) throw new Error(failure.text);
      if (last !== null && !isRunning) return;
    }
  });
  const { last } = await client.expect(readBackups);
  const copied = await measure(client, () =>
    vodkeep(["backup", "--to", join(folder.path, "copy")], data),
  );
  await host.stop();
  await rig.close();
  renameSync(join(data, "objects"), join(restored, "objects"));
  const startedMs = performance.now();
  await vodkeep(["restore", "--yes"], restored);
  const restoreMs = performance.now() - startedMs;
  for (const table of TABLES) {
    const [left, right] = [data, restored].map((path) => digestRows(path, table));
    console.log(`${table}: ${right}`);
    if (left !== right) throw new Error(`${table} is ${left} in the service's database`);
  }
  const figures = { without, nightly, copied, backupBytes: last?.sizeBytes, restoreMs };
  console.log(figures);
  if (Math.max(nightly.maxMs, copied.maxMs) > TARGET_MS) process.exitCode = 1;
  if (values.write) writeLedgerEntry("backup", { ...conditions(), ...figures });
}

/** docs/targets.md */
const TARGET_MS = 200;

/** Runs for all of the bench. */
const LONG_VOD = { ownerId: "1005", segmentCount: 2_000, segmentSizeBytes: 1_000_000 };

const CALLS = [
  "/admin/uploads?page=1",
  "/admin/uploads/work",
  "/admin/uploads?search=speedrun",
  "/admin/r2/browse?page=1",
  "/admin/system/metrics",
  "/admin/dashboard/stats",
  "/readyz",
];

/** Calls one after the other while `work` runs, as a person's screens do. */
async function measure(client: TestClient, work: () => Promise<unknown>) {
  const times: (readonly [ms: number, path: string])[] = [];
  const startedMs = performance.now();
  const ended = new AbortController();
  const calling = (async () => {
    while (!ended.signal.aborted)
      for (const path of CALLS) {
        const askedMs = performance.now();
        const response = await client.send("GET", path);
        await response.arrayBuffer();
        if (!response.ok) throw new Error(`${path} answered ${response.status}`);
        times.push([performance.now() - askedMs, path]);
      }
  })();
  await Promise.all([calling, work().finally(() => ended.abort())]);
  times.sort(([left], [right]) => left - right);
  const sorted = times.map(([ms]) => ms);
  const [maxMs = 0, slowest] = times.at(-1) ?? [];
  return {
    tookMs: performance.now() - startedMs,
    calls: times.length,
    p50Ms: quantile(sorted, 0.5),
    p99Ms: quantile(sorted, 0.99),
    maxMs,
    slowest,
  };
}

async function vodkeep(args: readonly string[], dataFolder: string): Promise<void> {
  const child = spawn(process.execPath, ["program/main.ts", ...args], {
    env: { ...process.env, DATA_DIR: dataFolder },
    stdio: "inherit",
  });
  const [code] = await once(child, "exit");
  if (code !== 0) throw new Error(`vodkeep ${args.join(" ")} ended with ${code}`);
}

/** What was seeded and the service does not change. */
const TABLES = [
  "* FROM files WHERE object_key LIKE 'seed/%'",
  "* FROM uploads WHERE status = 'completed' AND owner_id >= '9000000000'",
  "* FROM users WHERE id >= '9000000000'",
  "vod_id, owner_id, title, recorded_at FROM vods WHERE length(owner_id) = 10",
  "owner_id, added_at, author_id, changes FROM channels WHERE length(owner_id) = 10",
];

/** Number of rows and digest. */
function digestRows(folder: string, table: string): string {
  const database = new DatabaseSync(join(folder, "vodkeep.db"), { readOnly: true });
  const hash = createHash("sha256");
  let rows = 0;
  for (const row of database.prepare(`SELECT ${table} ORDER BY 1, 2`).iterate()) {
    hash.update(JSON.stringify(Object.values(row)));
    rows += 1;
  }
  database.close();
  return `${rows} rows, SHA-256 ${hash.digest("hex").slice(0, 16)}`;
}
