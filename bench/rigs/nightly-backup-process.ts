import { withDataFolder } from "#program/with-data-folder.ts";
import { makeBackup } from "#service/backups/nightly-backup.ts";

/** Makes the nightly backup of DATA_DIR as the service does, without waiting for the night. */
await withDataFolder(async (deployment) => {
  const { snapshots } = deployment.platform;
  if (snapshots === undefined) throw new Error("This host takes no snapshots");
  await makeBackup(deployment, snapshots);
});
