import { expect, test, vi } from "vitest";
import { page } from "vitest/browser";
import { mount } from "#console/testing/mount.tsx";
import { Timeline } from "./timeline.tsx";

test("a finger drawn along the timeline shows what is there, until it is lifted", async () => {
  const onPreview = vi.fn();
  mount(
    <Timeline
      nowSec={0}
      durationSec={3_600}
      bufferedSec={0}
      content={{
        chapters: [{ startSec: 0, title: "Arrival" }],
        muted: [],
        missing: [],
        clip: null,
      }}
      storyboard={undefined}
      onPreview={onPreview}
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
  expect(onPreview).toHaveBeenCalledOnce();
  slider.element().dispatchEvent(new PointerEvent("pointerout", touch));
  await expect.element(page.getByText("Arrival")).not.toBeInTheDocument();
});
