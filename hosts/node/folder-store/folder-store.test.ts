import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describeObjectStore } from "#hosts/conformance/object-store-suite.ts";
import { systemClock } from "#hosts/ports/clock.ts";
import { createByteThreads } from "../byte-threads.ts";
import { openFolderStore } from "./folder-store.ts";
import { makeTemporaryFolder } from "../testing/temporary-folder.ts";

describeObjectStore(
  "A folder",
  {
    refusesUnequalParts: true,
    listsMetadata: true,
    listsMultiparts: true,
    partTagsAreDigests: true,
  },
  async () => {
    const folder = await makeTemporaryFolder();
    const threads = createByteThreads();
    const objects = await openFolderStore({ root: folder.path, threads, clock: systemClock });
    return {
      objects,
      async putByOthers(name, bytes) {
        const path = join(folder.path, name);
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, bytes);
      },
      async close() {
        await objects.close();
        await threads.close();
        await folder.remove();
      },
    };
  },
);
