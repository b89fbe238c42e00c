import { systemClock } from "#hosts/ports/clock.ts";
import { describeBreakable } from "#hosts/conformance/breakable-body-suite.ts";
import { breakable } from "./breakable-body.ts";
import { createByteThreads } from "./byte-threads.ts";
import { openFolderStore } from "./folder-store/folder-store.ts";
import { makeTemporaryFolder } from "./testing/temporary-folder.ts";

describeBreakable("A body of a file", breakable, async () => {
  const folder = await makeTemporaryFolder();
  const threads = createByteThreads();
  const objects = await openFolderStore({ root: folder.path, threads, clock: systemClock });
  return {
    objects,
    async close() {
      await objects.close();
      await threads.close();
      await folder.remove();
    },
  };
});
