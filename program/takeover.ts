import type { ServiceContext } from "#service/context.ts";
import { takeOverStore } from "#service/store/store-owner.ts";
import { withDataFolder } from "./with-data-folder.ts";

/**
 * Makes the deployment in DATA_DIR the owner of its store (the folder in DATA_DIR, or OBJECT_STORE),
 * which another deployment owns or which was emptied. Stop the other one first: it refuses to start
 * from then on.
 */
export async function takeOver(): Promise<void> {
  await withDataFolder(claim, { needsDeployment: true });
}

async function claim(deployment: ServiceContext): Promise<void> {
  const former = await takeOverStore(deployment);
  const { name } = deployment.platform.objects;
  console.log(
    former === null
      ? `${name} belongs to this deployment; it had no other owner.`
      : `${name} belongs to this deployment now; it was that of ${former.publicUrl} since ${former.since}.`,
  );
}
