import files from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import process from "node:process";
import { restore } from "#program/restore.ts";
import { withDataFolder } from "#program/with-data-folder.ts";
import { makeBackup } from "#service/backups/nightly-backup.ts";

/**
 * Makes the nightly backup of DATA_DIR as the service does at night, or restores the newest one.
 * With a number, kills itself before that step of putting the restored database in its place.
 */
const [, , work, step = "Infinity"] = process.argv;
let steps = 0;
for (const name of ["copyFile", "rename"] as const) {
  const perform: (...args: never[]) => Promise<void> = files[name];
  Object.assign(files, {
    [name](...args: never[]) {
      if (name === "copyFile" || steps > 0) steps += 1;
      if (steps === Number(step)) process.kill(process.pid, "SIGKILL");
      return perform(...args);
    },
  });
}
syncBuiltinESMExports();
console.log(JSON.stringify({ ready: true }));
if (work === "restore") await restore("latest", { isAgreed: true, replacesKey: false });
else
  await withDataFolder(async (deployment) => {
    const { snapshots } = deployment.platform;
    if (snapshots === undefined) throw new Error("This host takes no snapshots");
    await makeBackup(deployment, snapshots);
  });
