import process from "node:process";
import type { ServiceContext } from "#service/context.ts";
import { rebuildIndex } from "#service/proof/rebuild-index.ts";
import { claimStore, takeOverStore } from "#service/store/store-owner.ts";
import { CommandError, EXIT_CODES } from "./exit-codes.ts";
import { withDataFolder } from "./with-data-folder.ts";

/**
 * Restores uploads, files and their owners in the database from the manifests in the object store
 * (the folder in DATA_DIR, or OBJECT_STORE). For a lost or restored database; stop the service
 * first. It is idempotent. If the store belongs to a deployment whose database is lost, take it
 * over with `takesOver`.
 */
export async function rebuildFromStore(takesOver: boolean): Promise<void> {
  await withDataFolder((deployment) => rebuild(deployment, takesOver));
}

async function rebuild(deployment: ServiceContext, takesOver: boolean): Promise<void> {
  if (takesOver) {
    const former = await takeOverStore(deployment);
    if (former !== null)
      console.log(`Took the store over from ${former.publicUrl}, its owner since ${former.since}.`);
  } else await claimStore(deployment, { adopts: true });
  const startedMs = performance.now();
  const { completed, partial, kept, unfinished, unreadable } = await rebuildIndex(deployment);
  if (completed + partial + kept + unfinished + unreadable.length === 0)
    throw new CommandError(
      EXIT_CODES.notFound,
      `${deployment.platform.objects.name} holds no uploads. Are DATA_DIR and OBJECT_STORE right?`,
    );
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
  console.log(
    `Put back ${completed} completed and ${partial} partial uploads in ${seconds} s; ` +
      `${kept} were known, ${unfinished} had no object yet.`,
  );
  if (completed > 0)
    console.log(
      "Their sizes are right; their bytes are read again by the scrub, before all others.",
    );
  for (const key of unreadable) console.error(`Not readable: ${key}`);
  if (unreadable.length > 0) process.exitCode = 1;
}
