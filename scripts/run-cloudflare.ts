import process from "node:process";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { readWorkerSettings } from "#hosts/cloudflare/worker-settings.ts";
import { takeDataFolder } from "#hosts/node/data-folder.ts";
import { secretKeyOf } from "#hosts/node/secret-key.ts";
import { startStandIns, type StandIns } from "#hosts/node/stand-ins.ts";
import { findFreePort } from "#hosts/node/testing/free-port.ts";
import { readSettings, SettingsError } from "#service/settings.ts";
import { localWorkerOptions } from "./local-worker.ts";

/**
 * Runs the Worker in workerd: D1, R2, KV, queues and Durable Objects are files in
 * DATA_DIR/cloudflare. Nothing leaves this machine.
 */
try {
  await run();
} catch (error) {
  console.error(error instanceof SettingsError ? error.message : error);
  process.exit(1);
}

async function run(): Promise<void> {
  const given = readSettings(process.env);
  const port = given.PORT === 0 ? await findFreePort() : given.PORT;
  const folder = takeDataFolder(given.DATA_DIR);
  const standIns = await startStandIns(given, folder.path, null);
  const environment = {
    SECRET_KEY: await secretKeyOf(folder, given, null),
    ...standIns?.settings,
    ...ownSettings(given),
    PORT: String(port),
  };
  const settings = readWorkerSettings(environment);
  const options = await localWorkerOptions({
    folder: folder.path,
    settings: environment,
    origins: {
      apiOrigins: [new URL(settings.PUBLIC_URL).origin],
      imageOrigins: standIns?.imageOrigins ?? [],
    },
  });
  const worker = new Miniflare(convertV4MiniflareOptions({ ...options, host: given.HOST, port }));
  async function end(): Promise<void> {
    await worker.dispose();
    standIns?.close();
    folder.release();
    process.exit(0);
  }
  // Disconnected when the parent process ends, if that one started it with an IPC channel. Miniflare's
  // own listeners would end this process with a failure at once.
  for (const request of ["SIGTERM", "SIGINT", "disconnect"])
    process.removeAllListeners(request).once(request, () => void end());
  await worker.ready;
  // The first call migrates the schema.
  const answer = await worker.dispatchFetch(`${settings.PUBLIC_URL}/admin/auth/validate`);
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error("The Worker did not begin to serve: see above.");
  announce(port, standIns);
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

/** Readable text on a terminal; otherwise one line of JSON, from which tests read the port. */
function announce(port: number, standIns: StandIns | null): void {
  const notes = standIns?.notes ?? [];
  if (!process.stdout.isTTY) {
    console.log(JSON.stringify({ ready: true, port, standIn: standIns !== null }));
    for (const note of notes) console.log(JSON.stringify({ note }));
    return;
  }
  console.log(`\n  Vodkeep is ready: http://localhost:${port}, in Cloudflare's runtime\n`);
  for (const note of notes) console.log(`  ${note}\n`);
}
