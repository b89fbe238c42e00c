import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { readOrMakeSecretKey, takeDataFolder } from "#hosts/node/data-folder.ts";
import { startStandIns } from "#hosts/node/stand-ins.ts";
import { readSettings, SettingsError } from "#service/settings.ts";
import { layOutConsole } from "./cloudflare-console.ts";
import { LOCAL_DATABASE_ID, readWranglerConfig } from "./wrangler-config.ts";

/**
 * Runs the Worker in wrangler's local runtime: D1, R2, KV, queues and Durable Objects are files in
 * DATA_DIR/cloudflare. Nothing leaves this machine. As in production, settings are variables and
 * secrets; they are passed in a file that only this user can read.
 */

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** Created by scripts/build.mjs. */
const WORKER = "dist/cloudflare/worker/main.js";

/** The first start migrates the schema and bundles the Worker. */
const READY_WITHIN_MS = 90_000;

/**
 * A page served without the Worker takes milliseconds; a minute without a response is not due to
 * load. Requests are rare because each adds a line to wrangler's output.
 */
const ASK_EVERY_MS = 30_000;
const ANSWER_WITHIN_MS = 10_000;
const SILENCES_IN_A_ROW = 2;

try {
  await run();
} catch (error) {
  console.error(error instanceof SettingsError ? error.message : error);
  process.exit(1);
}

async function run(): Promise<void> {
  const given = readSettings(process.env);
  const folder = takeDataFolder(given.DATA_DIR);
  const state = join(folder.path, "cloudflare");
  mkdirSync(state, { recursive: true });
  const port = given.PORT === 0 ? await findFreePort(given.HOST) : given.PORT;
  const standIns = await startStandIns(given, folder.path);
  const environment = {
    SECRET_KEY: readOrMakeSecretKey(folder),
    ...standIns?.settings,
    ...ownSettings(given),
    PORT: String(port),
  };
  const settings = readSettings(environment);
  // A separate folder: the headers contain this start's addresses, and other instances may run.
  const consoleFolder = join(state, "console");
  layOutConsole(consoleFolder, {
    apiOrigins: [new URL(settings.PUBLIC_URL).origin],
    imageOrigins: standIns?.imageOrigins ?? [],
  });
  const envFile = join(state, "settings.env");
  writeFileSync(envFile, toEnvFile(environment), { mode: 0o600 });
  const config = join(state, "wrangler.json");
  writeFileSync(config, JSON.stringify(localConfig(consoleFolder), null, 2));

  const child = startWrangler({ host: given.HOST, port, state, envFile, config });
  let isEnding = false;
  const end = (): void => {
    isEnding = true;
    child.kill("SIGTERM");
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
  // Ends with the parent process, if that one started it with an IPC channel.
  process.on("disconnect", end);
  let isSilent = false;
  child.once("exit", (code) => {
    standIns?.close();
    folder.release();
    process.exit(isSilent ? 1 : isEnding ? 0 : (code ?? 1));
  });
  const address = `http://${given.HOST}:${port}`;
  await untilHealthy(address, child);
  announce(port, child, standIns !== null, standIns?.notes ?? []);
  await untilSilent(address);
  console.error("Cloudflare's runtime no longer answers. Start it again.");
  isSilent = true;
  child.kill("SIGTERM");
}

/** The settings in the caller's environment, without its other variables. */
function ownSettings(given: object): Record<string, string> {
  return Object.fromEntries(
    Object.keys(given).flatMap((name) => {
      const value = process.env[name];
      return value === undefined || value === "" ? [] : [[name, value] as const];
    }),
  );
}

function toEnvFile(environment: Readonly<Record<string, string>>): string {
  return Object.entries(environment)
    .map(([name, value]) => `${name}=${JSON.stringify(value)}\n`)
    .join("");
}

/** As deployed, but without the list of required secrets: wrangler would pass no other setting. */
function localConfig(consoleFolder: string): Record<string, unknown> {
  const { secrets: _required, ...config } = readWranglerConfig();
  return {
    ...config,
    main: `${ROOT}${WORKER}`,
    no_bundle: true,
    d1_databases: config.d1_databases.map((one) => ({ ...one, database_id: LOCAL_DATABASE_ID })),
    assets: { ...config.assets, directory: consoleFolder },
  };
}

function startWrangler(options: {
  readonly config: string;
  readonly host: string;
  readonly port: number;
  readonly state: string;
  readonly envFile: string;
}): ChildProcess {
  const args = [
    "node_modules/wrangler/bin/wrangler.js",
    "dev",
    `--config=${options.config}`,
    "--local",
    `--persist-to=${options.state}`,
    `--ip=${options.host}`,
    `--port=${options.port}`,
    `--env-file=${options.envFile}`,
    // Any free port: the default one can only be used once.
    "--inspector-port=0",
    "--show-interactive-dev-session=false",
    "--live-reload=false",
  ];
  return spawn(process.execPath, args, {
    cwd: ROOT,
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      PATH: process.env["PATH"],
      HOME: process.env["HOME"],
      WRANGLER_SEND_METRICS: "false",
      CLOUDFLARE_CF_FETCH_ENABLED: "false",
      X_LOCAL_EXPLORER: "false",
    },
  });
}

async function untilHealthy(address: string, child: ChildProcess): Promise<void> {
  const giveUpMs = performance.now() + READY_WITHIN_MS;
  while (child.exitCode === null && performance.now() < giveUpMs) {
    const answer = await fetch(`${address}/admin/auth/validate`).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error("The Worker did not begin to serve: see above.");
}

/** Resolves when the proxy is dead: wrangler restarts it, but the new one never answers. */
async function untilSilent(address: string): Promise<void> {
  for (let silences = 0; silences < SILENCES_IN_A_ROW;) {
    await new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));
    const answer = await fetch(address, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).catch(
      () => null,
    );
    await answer?.body?.cancel();
    silences = answer === null ? silences + 1 : 0;
  }
}

/** Readable text on a terminal; otherwise one line of JSON, from which tests read the port. */
function announce(
  port: number,
  { pid }: ChildProcess,
  usesStandIn: boolean,
  notes: readonly string[],
): void {
  if (!process.stdout.isTTY) {
    console.log(JSON.stringify({ ready: true, port, pid, standIn: usesStandIn }));
    for (const note of notes) console.log(JSON.stringify({ note }));
    return;
  }
  console.log(`\n  Vodkeep is ready: http://localhost:${port}, in Cloudflare's runtime\n`);
  for (const note of notes) console.log(`  ${note}\n`);
}

function findFreePort(host: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, host, () => {
      const address = server.address();
      server.close(() => {
        if (address === null || typeof address === "string") reject(new Error("No port is free"));
        else resolve(address.port);
      });
    });
  });
}
