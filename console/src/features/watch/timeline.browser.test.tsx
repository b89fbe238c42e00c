import { expect, test } from "vitest";
import { page } from "vitest/browser";
import { buildUpload } from "#contract/testing/build-upload.ts";
import { mount } from "#console/testing/mount.tsx";
import { Timeline } from "./timeline.tsx";

test("dragging a finger along the timeline shows a preview until it is lifted", async () => {
  mount(
    <Timeline
      upload={buildUpload()}
      chapters={[{ startSec: 0, title: "Arrival" }]}
      clip={null}
      playback={{ nowSec: 0, durationSec: 3_600, bufferedSec: 0 }}
      onSeek={() => undefined}
    />,
  );
  const slider = page.getByRole("slider", { name: "Seek" });
  await expect.element(slider).toBeVisible();
  const { left, width } = slider.element().getBoundingClientRect();
  const touch = { pointerType: "touch", bubbles: true };
  slider
    .element()
    .dispatchEvent(new PointerEvent("pointermove", { ...touch, clientX: left + width / 2 }));
  await expect.element(page.getByText("Arrival")).toBeVisible();
  slider.element().dispatchEvent(new PointerEvent("pointerout", touch));
  await expect.element(page.getByText("Arrival")).not.toBeInTheDocument();
});
