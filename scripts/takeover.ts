import process from "node:process";
import { readOrMakeSecretKey, takeDataFolder } from "#hosts/node/data-folder.ts";
import { createLogSink } from "#hosts/node/log-sink.ts";
import { openNodePlatform } from "#hosts/node/platform.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { readSettings } from "#service/settings.ts";
import { takeOverStore } from "#service/store/store-owner.ts";
import { readCommandLine, runCommand } from "./command-line.ts";

/**
 * npm run takeover
 *
 * Makes the deployment in DATA_DIR the owner of the bucket and prefix in OBJECT_STORE, which
 * another deployment owns. Stop that one first: it refuses to start from then on.
 */
readCommandLine("npm run takeover", {});
await runCommand(takeOver);

async function takeOver(): Promise<void> {
  const given = readSettings(process.env);
  const folder = takeDataFolder(given.DATA_DIR);
  const settings = { ...given, SECRET_KEY: readOrMakeSecretKey(folder) };
  const logs = createLogSink(systemClock, process.stderr);
  const host = await openNodePlatform(settings, folder.path, logs);
  try {
    const { name, isShared } = host.platform.objects;
    const former = isShared ? await takeOverStore({ platform: host.platform, settings }) : null;
    console.log(
      former === null
        ? `${name} is this deployment's own; there was nothing to take over.`
        : `${name} belongs to this deployment now; it was that of ${former.publicUrl} since ${former.since}.`,
    );
  } finally {
    await host.quiesce();
    await host.close();
    folder.release();
  }
}
