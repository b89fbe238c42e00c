import { systemClock } from "#hosts/ports/clock.ts";
import { describeBreakable } from "#hosts/conformance/breakable-body-suite.ts";
import { breakable } from "./breakable-body.ts";
import { createByteWorker } from "./byte-worker.ts";
import { openFolderStore } from "./folder-store/folder-store.ts";
import { makeTemporaryFolder } from "./testing/temporary-folder.ts";

describeBreakable("A body of a file", breakable, async () => {
  const folder = await makeTemporaryFolder();
  const byteWorker = createByteWorker();
  const objects = await openFolderStore({ root: folder.path, byteWorker, clock: systemClock });
  return {
    objects,
    async close() {
      await objects.close();
      await byteWorker.close();
      await folder.remove();
    },
  };
});
