import { onTestFinished } from "vitest";
import { systemClock } from "#hosts/ports/clock.ts";
import { createDigests } from "../digests.ts";
import { type FolderStore, openFolderStore } from "../folder-store/folder-store.ts";
import { makeTemporaryFolder } from "./temporary-folder.ts";

export type FolderStoreWorld = Awaited<ReturnType<typeof makeFolderStoreWorld>>;

/** A folder for the stores of one test, which are closed and removed at its end. */
export async function makeFolderStoreWorld(clock = systemClock) {
  const temporary = await makeTemporaryFolder();
  const folder = temporary.path;
  const root = `${folder}/objects`;
  const digests = createDigests();
  let opened: FolderStore | null = null;
  onTestFinished(async () => {
    await opened?.close();
    await digests.close();
    await temporary.remove();
  });
  return {
    folder,
    /** The store's own folder, inside `folder`. */
    root,
    /** Opens the store as after a start; an earlier one must be closed. */
    open: async (): Promise<FolderStore> => {
      opened = await openFolderStore({ root, digests, clock });
      return opened;
    },
  };
}
