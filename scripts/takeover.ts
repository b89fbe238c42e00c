import { takeOverStore } from "#service/store/store-owner.ts";
import { readCommandLine, runCommand } from "./command-line.ts";
import { withDataFolder } from "./with-data-folder.ts";

/**
 * npm run takeover
 *
 * Makes the deployment in DATA_DIR the owner of the bucket and prefix in OBJECT_STORE, which
 * another deployment owns. Stop that one first: it refuses to start from then on.
 */
readCommandLine("npm run takeover", {});
await runCommand(() =>
  withDataFolder(async (deployment) => {
    const { name, isShared } = deployment.platform.objects;
    const former = isShared ? await takeOverStore(deployment) : null;
    console.log(
      former === null
        ? `${name} is this deployment's own; there was nothing to take over.`
        : `${name} belongs to this deployment now; it was that of ${former.publicUrl} since ${former.since}.`,
    );
  }),
);
