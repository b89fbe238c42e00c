import { systemClock } from "#hosts/ports/clock.ts";
import { describeBreakable } from "#hosts/conformance/breakable-body-suite.ts";
import { breakable } from "./breakable-body.ts";
import { createDigests } from "./digests.ts";
import { openFolderStore } from "./folder-store/folder-store.ts";
import { makeTemporaryFolder } from "./testing/temporary-folder.ts";

describeBreakable("A body of a file", breakable, async () => {
  const folder = await makeTemporaryFolder();
  const digests = createDigests();
  const objects = await openFolderStore({ root: folder.path, digests, clock: systemClock });
  return {
    objects,
    async close() {
      await objects.close();
      await digests.close();
      await folder.remove();
    },
  };
});
