import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";

/**
 * Directus over the rows of a seeded folder, on SQLite as we are. It is installed on first use,
 * outside of this repository: 800 MB and some minutes.
 */

const VERSION = "11.17.4";
const SQLITE_DRIVER = "6.0.1";

const FOLDER = join(tmpdir(), "vodkeep-bench-peers", "directus");
const COMMAND = join(FOLDER, "node_modules", "directus", "cli.js");
const DRIVER = join(FOLDER, "node_modules", "sqlite3");

export const DIRECTUS_TOKEN = "vodkeep-bench-token-for-directus-only";
export const DIRECTUS_NAME = `Directus ${VERSION} on SQLite`;

/** It opens its schema and its extensions; longer means that it will not start. */
const READY_WITHIN_MS = 120_000;

/** The columns both answer with. */
const COLUMNS =
  "id, vod_id, filename, title, owner_id, status, source_bytes, created_at, started_at, completed_at";

export type Directus = { readonly address: string; stop(): Promise<void> };

/** Null, with a word why, where it cannot be installed. */
export function installDirectus(): boolean {
  try {
    if (!existsSync(COMMAND)) {
      console.log(`installing ${DIRECTUS_NAME} into ${FOLDER}`);
      mkdirSync(FOLDER, { recursive: true });
      writeFileSync(join(FOLDER, "package.json"), `{"name":"peer","private":true}`);
      runNpm("install", "--ignore-scripts", "--no-audit", "--no-fund", "-E");
    }
    // Only its flows' scripts need this package, whose build asks for one exact version of Node.
    writeFileSync(
      join(FOLDER, "node_modules", "isolated-vm", "isolated-vm.js"),
      "module.exports = {};\n",
    );
    if (!existsSync(join(DRIVER, "build", "Release", "node_sqlite3.node"))) runNpm("rebuild");
    return true;
  } catch (error) {
    console.log(
      `${DIRECTUS_NAME} could not be installed here, so it is left out: ${String(error)}`,
    );
    return false;
  }
}

function runNpm(command: "install" | "rebuild", ...flags: readonly string[]): void {
  const packages =
    command === "install" ? [`directus@${VERSION}`, `sqlite3@${SQLITE_DRIVER}`] : ["sqlite3"];
  execFileSync("npm", [command, ...flags, ...packages], {
    cwd: FOLDER,
    // Debian's headers, where there are any, spare a download of Node's.
    env: {
      ...process.env,
      ...(existsSync("/usr/include/node") ? { npm_config_nodedir: "/usr" } : {}),
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
}

/** Serves the uploads of a seeded folder. @throws when it does not start */
export async function startDirectus(seededFolder: string, port: number): Promise<Directus> {
  const path = join(FOLDER, "data.db");
  for (const end of ["", "-wal", "-shm"]) rmSync(path + end, { force: true });
  const environment = {
    ...process.env,
    KEY: "bench",
    SECRET: "a secret for benches, not for keeping",
    ADMIN_EMAIL: "bench@example.org",
    ADMIN_PASSWORD: "bench-bench-bench",
    ADMIN_TOKEN: DIRECTUS_TOKEN,
    DB_CLIENT: "sqlite3",
    DB_FILENAME: path,
    HOST: "127.0.0.1",
    PORT: String(port),
    CACHE_ENABLED: "false",
    RATE_LIMITER_ENABLED: "false",
    PRESSURE_LIMITER_ENABLED: "false",
    WEBSOCKETS_ENABLED: "false",
    TELEMETRY: "false",
    LOG_LEVEL: "error",
  };
  execFileSync(process.execPath, [COMMAND, "bootstrap"], {
    cwd: FOLDER,
    env: environment,
    stdio: ["ignore", "ignore", "pipe"],
  });
  copyUploads(join(seededFolder, "vodkeep.db"), path);
  const server = spawn(process.execPath, [COMMAND, "start"], {
    cwd: FOLDER,
    env: environment,
    stdio: "ignore",
  });
  const exited = once(server, "exit");
  const address = `http://127.0.0.1:${port}`;
  const stop = async () => {
    server.kill("SIGKILL");
    await exited;
  };
  try {
    await untilReady(address);
  } catch (error) {
    await stop();
    throw error;
  }
  return { address, stop };
}

/** The same rows under the same indexes: by number, and by status. */
function copyUploads(from: string, to: string): void {
  const database = new DatabaseSync(to);
  database.exec(`
    ATTACH '${from}' AS seeded;
    CREATE TABLE uploads (seq INTEGER PRIMARY KEY, id TEXT, vod_id TEXT, filename TEXT, title TEXT,
      owner_id TEXT, status TEXT, source_bytes INTEGER, created_at INTEGER, started_at INTEGER,
      completed_at INTEGER);
    INSERT INTO uploads (seq, ${COLUMNS}) SELECT seq, ${COLUMNS} FROM seeded.uploads;
    CREATE INDEX uploads_status ON uploads (status, seq);
    DETACH seeded;
    PRAGMA journal_mode = WAL;
  `);
  database.close();
}

async function untilReady(address: string): Promise<void> {
  const startedMs = performance.now();
  for (;;) {
    try {
      const response = await fetch(`${address}/server/ping`);
      if (response.ok) return;
    } catch {
      // Not listening yet.
    }
    if (performance.now() - startedMs > READY_WITHIN_MS)
      throw new Error(`${DIRECTUS_NAME} did not start within ${READY_WITHIN_MS} ms`);
    await pause(100);
  }
}
