import { describeBreakable } from "#hosts/conformance/breakable-body-suite.ts";
import { breakable } from "./platform.ts";
import { openR2Store } from "./r2-store.ts";
import { bindings } from "./testing/bindings.ts";

describeBreakable("A body that the runtime moves", breakable, async () => {
  const objects = openR2Store(bindings.OBJECTS, "none");
  return {
    objects,
    async close() {
      const { objects: left } = await bindings.OBJECTS.list();
      await bindings.OBJECTS.delete(left.map(({ key }) => key));
    },
  };
});
