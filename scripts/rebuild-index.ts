import process from "node:process";
import { readOrMakeSecretKey, takeDataFolder } from "#hosts/node/data-folder.ts";
import { createLogSink } from "#hosts/node/log-sink.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { openNodePlatform } from "#hosts/node/platform.ts";
import { rebuildIndex } from "#service/files/rebuild-index.ts";
import { readSettings } from "#service/settings.ts";
import { claimStore, takeOverStore } from "#service/store/store-owner.ts";
import { createLogger } from "#service/logger.ts";
import { readCommandLine, runCommand } from "./command-line.ts";

/**
 * npm run rebuild-index [-- --takeover]
 *
 * Restores uploads, files and their owners in the database from the manifests in the object store
 * (the folder in DATA_DIR, or OBJECT_STORE). For a lost or restored database; stop the service
 * first. It is idempotent. If the bucket belongs to a deployment whose database is lost, take it
 * over with --takeover.
 */
const values = readCommandLine("npm run rebuild-index [-- --takeover]", {
  takeover: { type: "boolean", default: false },
});
await runCommand(rebuild);

async function rebuild(): Promise<void> {
  const given = readSettings(process.env);
  const folder = takeDataFolder(given.DATA_DIR);
  const settings = { ...given, SECRET_KEY: readOrMakeSecretKey(folder) };
  const logs = createLogSink(systemClock, process.stderr);
  const host = await openNodePlatform(settings, folder.path, logs);
  try {
    const owned = { platform: host.platform, settings };
    if (values.takeover && host.platform.objects.isShared) {
      const former = await takeOverStore(owned);
      if (former !== null)
        console.log(
          `Took the store over from ${former.publicUrl}, its owner since ${former.since}.`,
        );
    } else await claimStore(owned);
    const startedMs = performance.now();
    const report = await rebuildIndex({
      platform: host.platform,
      settings,
      log: createLogger(systemClock, logs),
    });
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    console.log(
      `Put back ${report.completed} completed and ${report.partial} partial uploads in ${seconds} s; ` +
        `${report.kept} were known, ${report.unfinished} had no object yet.`,
    );
    if (report.completed > 0)
      console.log(
        "Their sizes are right; their bytes are read again by the scrub, before all others.",
      );
    for (const key of report.unreadable) console.error(`Not readable: ${key}`);
    if (report.unreadable.length > 0) process.exitCode = 1;
  } finally {
    await host.quiesce();
    await host.close();
    folder.release();
  }
}
