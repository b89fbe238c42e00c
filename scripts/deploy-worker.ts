import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { readWorkerSettings } from "#hosts/cloudflare/worker-settings.ts";
import {
  redirectUriOf,
  SETTING_NAMES,
  SettingsError,
  settingsWarnings,
} from "#service/settings.ts";
import { layOutConsole } from "./cloudflare-console.ts";
import { readCommandLine } from "./command-line.ts";
import { readCommit } from "./commit.mjs";
import { configToDeploy, readWranglerConfig } from "./wrangler-config.ts";
import { ROOT } from "./tools.mjs";

/**
 * Deploys with the settings in this environment: secret ones as secrets, others as variables.
 * `--dry-run` does everything except the upload and needs no account.
 */

const CONFIG = "--config=hosts/cloudflare/wrangler.jsonc";

/** Without these a deployment would not work, or not safely. */
const REQUIRED = ["PUBLIC_URL", "SECRET_KEY", "TWITCH_CLIENT_ID", "TWITCH_CLIENT_SECRET"];

/** Needed until a user of the database has permissions. */
const FIRST_ADMINISTRATOR = ["ADMIN_TWITCH_IDS"];

const SECRETS = [
  "SECRET_KEY",
  "SECRET_KEY_PREVIOUS",
  "TWITCH_CLIENT_ID",
  "TWITCH_CLIENT_SECRET",
  "TELEGRAM_BOT_TOKEN",
  "SMTP_URL",
  "METRICS_TOKEN",
];

/** Settings of the node host. */
const NOT_PASSED_ON = ["HOST", "PORT", "DATA_DIR", "S3_ACCESS_KEY_ID", "S3_SECRET_ACCESS_KEY"];

const WRANGLER = "node_modules/wrangler/bin/wrangler.js";
const OPTIONS = {
  cwd: ROOT,
  stdio: "inherit" as const,
  env: { ...process.env, WRANGLER_SEND_METRICS: "false" },
};

/** The first response of a new deployment waits for its schema. */
const HEALTHY_WITHIN_MS = 90_000;

const { "dry-run": isDryRun } = readCommandLine("npm run deploy -- [--dry-run]", {
  "dry-run": { type: "boolean", default: false },
});

try {
  await deploy();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}

async function deploy(): Promise<void> {
  const given = collectSettings();
  const missing = REQUIRED.filter((name) => !(name in given));
  if (missing.length > 0 && !isDryRun)
    throw new SettingsError(`Set ${missing.join(", ")} first; docs/deploy.md says how.`);
  const settings = readWorkerSettings(given);
  if (!isDryRun && !settings.PUBLIC_URL.startsWith("https:"))
    throw new SettingsError("PUBLIC_URL must be an https address.");
  layOutConsole(`${ROOT}dist/cloudflare/console`, {
    apiOrigins: [new URL(settings.PUBLIC_URL).origin],
    imageOrigins: [],
  });

  const folder = mkdtempSync(join(tmpdir(), "vodkeep-deploy-"));
  try {
    const secretsFile = join(folder, "secrets.json");
    const secrets = Object.entries(given).filter(([name]) => SECRETS.includes(name));
    writeFileSync(secretsFile, JSON.stringify(Object.fromEntries(secrets)), { mode: 0o600 });
    const variables = Object.entries(given).filter(([name]) => !SECRETS.includes(name));
    const config = join(folder, "wrangler.json");
    writeFileSync(config, JSON.stringify(configToDeploy()));
    if (!isDryRun) ensureQueues();
    wrangler([
      "deploy",
      `--config=${config}`,
      `--define=BUILD_COMMIT:${JSON.stringify(readCommit())}`,
      ...variables.flatMap(([name, value]) => ["--var", `${name}:${value}`]),
      ...(isDryRun
        ? ["--dry-run", `--outdir=${folder}/worker`]
        : [`--secrets-file=${secretsFile}`]),
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
  if (isDryRun) {
    describePlan(given, missing);
    return;
  }
  await untilHealthy(settings.PUBLIC_URL);
  console.log(`Vodkeep serves ${settings.PUBLIC_URL}`);
  console.log(`The Twitch application needs the redirect address ${redirectUriOf(settings)}`);
  for (const warning of settingsWarnings(settings)) console.log(`Warning: ${warning}`);
}

/** Describes what a deployment would do, without the values of settings. */
function describePlan(given: Readonly<Record<string, string>>, missing: readonly string[]): void {
  const { d1_databases, r2_buckets, queues } = readWranglerConfig();
  const names = Object.keys(given);
  const queueNames = queues.consumers.map(({ queue }) => queue).join(" and ");
  console.log(
    [
      "Nothing was uploaded. A deployment",
      `  makes or finds: the D1 database ${d1_databases[0].database_name}, the R2 bucket ` +
        `${r2_buckets[0].bucket_name}, a KV namespace, the queues ${queueNames}`,
      `  sets as secrets: ${listed(names.filter((name) => SECRETS.includes(name)))}`,
      `  sets as variables: ${listed(names.filter((name) => !SECRETS.includes(name)))}`,
      `  still needs: ${listed([...missing, ...FIRST_ADMINISTRATOR.filter((name) => !(name in given))])}`,
    ].join("\n"),
  );
}

function listed(names: readonly string[]): string {
  return names.length > 0 ? names.join(", ") : "nothing";
}

function collectSettings(): Record<string, string> {
  return Object.fromEntries(
    SETTING_NAMES.filter((name) => !NOT_PASSED_ON.includes(name)).flatMap((name) => {
      const value = process.env[name];
      if (value === undefined || value === "") return [];
      // Meant for a node host, perhaps for a migration.
      if (name === "OBJECT_STORE" && !value.startsWith("r2:")) return [];
      return [[name, value] as const];
    }),
  );
}

/** The deployment creates databases, buckets and namespaces, but not queues. */
function ensureQueues(): void {
  for (const { queue } of readWranglerConfig().queues.consumers)
    if (!wranglerSucceeds(["queues", "info", queue, CONFIG]))
      wrangler(["queues", "create", queue, CONFIG]);
}

function wrangler(args: readonly string[]): void {
  const { status } = spawnSync(process.execPath, [WRANGLER, ...args], OPTIONS);
  if (status !== 0) throw new Error(`wrangler ${args[0]} failed: see above.`);
}

function wranglerSucceeds(args: readonly string[]): boolean {
  const options = { ...OPTIONS, stdio: "ignore" as const };
  return spawnSync(process.execPath, [WRANGLER, ...args], options).status === 0;
}

async function untilHealthy(address: string): Promise<void> {
  const giveUpMs = performance.now() + HEALTHY_WITHIN_MS;
  while (performance.now() < giveUpMs) {
    const answer = await fetch(`${address}/healthz`).catch(() => null);
    await answer?.body?.cancel();
    if (answer?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
  throw new Error(`It was uploaded, but ${address}/healthz does not answer 200.`);
}
