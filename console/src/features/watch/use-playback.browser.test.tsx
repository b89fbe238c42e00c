import { expect, test } from "vitest";
import { playbackOf } from "./use-playback.ts";

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
