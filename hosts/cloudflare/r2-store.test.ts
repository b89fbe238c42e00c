import { describeObjectStore } from "#hosts/conformance/object-store-suite.ts";
import { openR2Store } from "./r2-store.ts";
import { bindings } from "./testing/bindings.ts";

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
      close: () => removeAll(bindings.OBJECTS),
    };
  },
);

/** Faster than resetting all storage before each of seventy tests. */
async function removeAll(bucket: R2Bucket): Promise<void> {
  for (;;) {
    const { objects } = await bucket.list();
    if (objects.length === 0) return;
    await bucket.delete(objects.map(({ key }) => key));
  }
}
