import { describeObjectStore } from "#hosts/conformance/object-store-suite.ts";
import { openR2Store } from "./r2-store.ts";
import { bindings } from "./testing/bindings.ts";
import { emptyBucket } from "./testing/storage-slots.ts";

describeObjectStore(
  "R2",
  {
    refusesUnequalParts: true,
    listsMetadata: false,
    listsMultiparts: false,
    partTagsAreDigests: false,
  },
  async () => {
    const objects = openR2Store(bindings.OBJECTS, "none");
    return {
      objects,
      putByOthers: async (name, bytes) => void (await bindings.OBJECTS.put(name, bytes)),
      // Faster than resetting all storage before each of seventy tests.
      close: () => emptyBucket(bindings.OBJECTS),
    };
  },
);
