import process from "node:process";
import { readOrMakeSecretKey, takeDataFolder } from "#hosts/node/data-folder.ts";
import { createLogSink } from "#hosts/node/log-sink.ts";
import { createOutgoingFetch } from "#hosts/node/outgoing-fetch.ts";
import { openNodePlatform } from "#hosts/node/platform.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { readSettings } from "#service/settings.ts";
import { readCommandLine, refuse, runCommand } from "./command-line.ts";
import { openAccount } from "./migrate/account-destination.ts";
import type { Destination } from "./migrate/destination.ts";
import { openLocalRuntime } from "./migrate/local-destination.ts";
import { move, planMove, type Origin } from "./migrate/move.ts";
import { createProgressLine, toGb } from "./migrate/progress-line.ts";

/**
 * npm run migrate -- --to cloudflare [--local] [--dry-run]
 *
 * Copies a node host's data folder (DATA_DIR, and OBJECT_STORE where it is set) into the account's
 * D1 database and R2 bucket, or with --local into those of `npm run start:cloudflare`. Stop the
 * service first. The folder is only read. After an interruption run it again: it continues.
 */
const USAGE = "npm run migrate -- --to cloudflare [--local] [--dry-run]";

const values = readCommandLine(USAGE, {
  to: { type: "string" },
  local: { type: "boolean", default: false },
  "dry-run": { type: "boolean", default: false },
});
if (values.to !== "cloudflare") refuse(USAGE, "Say where to: --to cloudflare");

await runCommand(run);

async function run(): Promise<void> {
  const given = readSettings(process.env);
  const folder = takeDataFolder(given.DATA_DIR);
  const settings = { ...given, SECRET_KEY: readOrMakeSecretKey(folder) };
  const logs = createLogSink(systemClock, process.stderr);
  const host = await openNodePlatform(settings, folder.path, logs);
  const outgoing = createOutgoingFetch();
  try {
    const surroundings = { ...host.platform, fetch: outgoing.fetch };
    const destination = values.local
      ? await openLocalRuntime(folder.path, surroundings)
      : await openAccount(process.env, surroundings);
    try {
      await report(host.platform, destination, folder.path);
    } finally {
      await destination.close();
    }
  } finally {
    await outgoing.close();
    await host.quiesce();
    await host.close();
    folder.release();
  }
}

async function report(origin: Origin, destination: Destination, folder: string): Promise<void> {
  const plan = await planMove(origin, destination);
  if (plan.standing.state === "finished") {
    console.log(`Moved on ${plan.standing.at.toISOString()}; there is nothing left to do.`);
    return;
  }
  console.log(
    `${plan.standing.state === "claimed" ? "Goes on moving" : "To move"}: ${plan.objects} objects of ` +
      `${toGb(plan.bytes)} GB into ${destination.objects.name}, ${plan.rows} rows of ${plan.tables} ` +
      `tables into ${destination.databaseName}.`,
  );
  if (plan.unfinished > 0)
    console.log(
      `${plan.unfinished} uploads are unfinished: their parts stay behind, and they begin again.`,
    );
  if (values["dry-run"]) {
    console.log("Nothing was moved.");
    return;
  }
  const startedMs = performance.now();
  const line = createProgressLine(process.stdout);
  const done = await move(origin, destination, line, Date.now());
  line.end();
  for (const { name, rows, digest } of done.tables)
    console.log(`${name.padEnd(26)} ${String(rows).padStart(9)} rows  ${digest.slice(0, 16)}`);
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  console.log(
    `Moved and compared ${done.objects} objects of ${toGb(done.bytes)} GB (${done.objectsCopied} copied ` +
      `now) and ${done.tables.reduce((sum, { rows }) => sum + rows, 0)} rows in ${seconds} s.`,
  );
  console.log(
    `Next: ${destination.nextStep}, with the SECRET_KEY that lies in ${folder}/secret-key: it opens the ` +
      "Twitch tokens that were moved.",
  );
}
