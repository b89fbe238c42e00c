import { onTestFinished } from "vitest";
import { systemClock } from "#hosts/ports/clock.ts";
import { createDigests } from "../digests.ts";
import { type FolderStore, openFolderStore } from "../folder-store/folder-store.ts";
import { makeTemporaryFolder } from "./temporary-folder.ts";

export type FolderStoreWorld = {
  readonly folder: string;
  /** The store's own folder, inside `folder`. */
  readonly root: string;
  /** Opens the store as after a start; an earlier one must be closed. */
  readonly open: () => Promise<FolderStore>;
};

/** A folder for the stores of one test, which are closed and removed at its end. */
export async function makeFolderStoreWorld(clock = systemClock): Promise<FolderStoreWorld> {
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
    root,
    async open() {
      opened = await openFolderStore({ root, digests, clock });
      return opened;
    },
  };
}
