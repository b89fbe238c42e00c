import { useState } from "react";
import { expect, onTestFinished, test, vi } from "vitest";
import { page, userEvent } from "vitest/browser";
import { buildFile } from "#contract/testing/build-file.ts";
import { buildUpload } from "#contract/testing/build-upload.ts";
import { expectAccessible } from "#console/testing/expect-accessible.ts";
import { mount } from "#console/testing/mount.tsx";
import { Player } from "./player.tsx";
import { Timeline } from "./timeline.tsx";
import { playbackOf } from "./use-playback.ts";
import { useView } from "./use-view.ts";

const HOUR = { nowSec: 0, durationSec: 3_600, bufferedSec: 0 };

function Playing({ onSeek }: { readonly onSeek: (sec: number) => void }) {
  const [player, setPlayer] = useState<HTMLElement | null>(null);
  const [video, setVideo] = useState<HTMLVideoElement | null>(null);
  return (
    <Player
      upload={buildUpload()}
      file={buildFile()}
      clip={null}
      player={player}
      onPlayer={setPlayer}
      view={useView(player)}
      video={video}
      onVideo={setVideo}
      playback={{ ...playbackOf(document.createElement("video")), ...HOUR, paused: false }}
      onClip={() => undefined}
      onSeek={onSeek}
    />
  );
}

test("controls that come and go over a playing video move nothing; two taps skip", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const onSeek = vi.fn<(sec: number) => void>();
  mount(<Playing onSeek={onSeek} />);
  const player = page.getByRole("region", { name: "Player" });
  await expect.element(player).toBeVisible();
  const video = player.element().querySelector("video");
  if (video === null) throw new Error("There is no video");
  const boxOf = () => JSON.stringify(video.getBoundingClientRect());
  const before = boxOf();
  const expectIdle = () => expect.element(player).toHaveAttribute("data-idle");
  const expectControls = () => expect.element(player).not.toHaveAttribute("data-idle");

  await expectControls();
  vi.advanceTimersByTime(3_000);
  await expectIdle();
  expect(boxOf()).toBe(before);
  video.dispatchEvent(new PointerEvent("pointermove", { bubbles: true }));
  await expectControls();
  expect(boxOf()).toBe(before);

  const { left, right, top } = video.getBoundingClientRect();
  /** `atMs` is the event's own time, however late a busy machine sends it. */
  const tapAt = (clientX: number, atMs: number) => {
    const at = { bubbles: true, clientX, clientY: top + 1 };
    video.dispatchEvent(new PointerEvent("pointerdown", { ...at, pointerType: "touch" }));
    const click = new MouseEvent("click", at);
    Object.defineProperty(click, "timeStamp", { value: atMs });
    video.dispatchEvent(click);
  };
  tapAt(right - 9, 10_000);
  await expectIdle();
  tapAt(right - 9, 10_299);
  expect(onSeek).toHaveBeenLastCalledWith(10);
  tapAt(left + 9, 10_598);
  expect(onSeek).toHaveBeenLastCalledWith(-10);
  await userEvent.keyboard("{Tab}");
  await expectControls();
  vi.useRealTimers();
  await expectAccessible({ type: "tag", values: ["wcag2a", "wcag2aa", "wcag22aa"] });
});

test("dragging a finger along the timeline shows a preview until it is lifted", async () => {
  mount(
    <Timeline
      upload={buildUpload()}
      chapters={[{ startSec: 0, title: "Arrival" }]}
      clip={null}
      playback={HOUR}
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

test.each([
  { duration: 59.984, durationSec: 60 },
  { duration: 12.5, durationSec: 12.5 },
  { duration: Number.NaN, durationSec: 0 },
  { duration: Number.POSITIVE_INFINITY, durationSec: 0 },
])("a video of $duration s is shown as one of $durationSec s", ({ duration, durationSec }) => {
  const video = document.createElement("video");
  Object.defineProperty(video, "duration", { value: duration });
  expect(playbackOf(video)).toMatchObject({ durationSec });
});
