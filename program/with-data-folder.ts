import { existsSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { takeDataFolder } from "#hosts/node/data-folder.ts";
import { readOrigin } from "#hosts/node/database-snapshot.ts";
import { createLogSink } from "#hosts/node/log-sink.ts";
import { openNodePlatform } from "#hosts/node/platform.ts";
import { secretKeyOf } from "#hosts/node/secret-key.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import type { ServiceContext } from "#service/context.ts";
import { createLogger } from "#service/logger.ts";
import { readSettings } from "#service/settings.ts";
import { CommandError, EXIT_CODES } from "./exit-codes.ts";

/**
 * Calls `work` with the deployment in DATA_DIR, which no service may use meanwhile.
 *
 * @throws {CommandError} if there is none and `work` needs one, instead of making it
 * @throws {SettingsError} for another secret key than the database's, unless `work` replaces it
 */
export async function withDataFolder(
  work: (deployment: ServiceContext) => Promise<void>,
  { needsDeployment = false, replacesKey = false } = {},
): Promise<void> {
  const given = readSettings(process.env);
  const folder = takeDataFolder(given.DATA_DIR);
  if (needsDeployment && !existsSync(join(folder.path, "vodkeep.db")))
    throw new CommandError(EXIT_CODES.notFound, `DATA_DIR ${folder.path} has no database.`);
  const { keyFingerprint } = readOrigin(join(folder.path, "vodkeep.db"));
  const sealedWith = replacesKey ? null : keyFingerprint;
  const settings = { ...given, SECRET_KEY: await secretKeyOf(folder, given, sealedWith) };
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
