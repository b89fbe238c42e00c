import { expect, test } from "vitest";
import { uploadIdSchema } from "#contract/ids.ts";
import { mount } from "#console/testing/mount.tsx";
import { Thumbnail } from "./thumbnail.tsx";

test("a picture that cannot be loaded leaves the icon, not the browser's sign for it", async () => {
  // Nothing serves pictures here.
  const container = mount(<Thumbnail uploadId={uploadIdSchema.parse("missing")} />);
  await expect
    .poll(() => container.querySelector("img")?.checkVisibility({ visibilityProperty: true }))
    .toBe(false);
  expect(container.querySelector("svg")?.checkVisibility()).toBe(true);
});
