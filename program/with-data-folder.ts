import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { readOrMakeSecretKey, takeDataFolder } from "#hosts/node/data-folder.ts";
import { createLogSink } from "#hosts/node/log-sink.ts";
import { openNodePlatform } from "#hosts/node/platform.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import type { ServiceContext } from "#service/context.ts";
import { createLogger } from "#service/logger.ts";
import { readSettings } from "#service/settings.ts";
import { CommandError, EXIT_CODES } from "./exit-codes.ts";

/**
 * Calls `work` with the deployment in DATA_DIR, which no service may use meanwhile.
 *
 * @throws {CommandError} if there is none and `work` needs one, instead of making it
 */
export async function withDataFolder(
  work: (deployment: ServiceContext) => Promise<void>,
  { needsDeployment = false } = {},
): Promise<void> {
  const given = readSettings(process.env);
  const folder = takeDataFolder(given.DATA_DIR);
  if (needsDeployment && !existsSync(join(folder.path, "vodkeep.db")))
    throw new CommandError(EXIT_CODES.notFound, `DATA_DIR ${folder.path} has no database.`);
  const settings = { ...given, SECRET_KEY: readOrMakeSecretKey(folder) };
  const logs = createLogSink(systemClock, process.stderr);
  const host = await openNodePlatform(settings, folder.path, logs);
  try {
    await work({ platform: host.platform, settings, log: createLogger(systemClock, logs) });
  } finally {
    await host.quiesce();
    await host.close();
    folder.release();
  }
}
