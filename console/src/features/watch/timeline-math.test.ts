import { expect, test } from "vitest";
import { frameAt } from "#console/domain/files/storyboard-frame.tsx";
import {
  afterRange,
  chapterAt,
  clipBetween,
  clipProblemOf,
  isWithin,
  percentOf,
} from "./timeline-math.ts";

const STORYBOARD = {
  intervalSec: 10,
  frames: 23,
  frameWidth: 220,
  frameHeight: 124,
  columns: 5,
  rows: 2,
  sheets: ["a", "b", "c"],
};

test("finds the frame of a time on its sheet, row by row, and the last frame for later times", () => {
  expect(frameAt(STORYBOARD, 0)).toEqual({ sheet: 0, column: 0, row: 0 });
  expect(frameAt(STORYBOARD, 79)).toEqual({ sheet: 0, column: 2, row: 1 });
  expect(frameAt(STORYBOARD, 100)).toEqual({ sheet: 1, column: 0, row: 0 });
  expect(frameAt(STORYBOARD, 9_999)).toEqual({ sheet: 2, column: 2, row: 0 });
});

test("a missing range is skipped to its exclusive end", () => {
  const missing = [{ startSec: 40, endSec: 60 }];
  expect([39.9, 40, 59.9, 60].map((sec) => afterRange(missing, sec))).toEqual([39.9, 60, 60, 60]);
  expect([39.9, 40, 60].map((sec) => isWithin(missing, sec))).toEqual([false, true, false]);
});

test("positions stay on the timeline, even before its length is known", () => {
  expect([percentOf(30, 60), percentOf(90, 60), percentOf(5, 0)]).toEqual([50, 100, 0]);
});

test("the current chapter is the last one that has started", () => {
  const chapters = [
    { startSec: 0, title: "Chatting" },
    { startSec: 60, title: "Chess" },
  ];
  expect([59, 60].map((sec) => chapterAt(chapters, sec)?.title)).toEqual(["Chatting", "Chess"]);
  expect(chapterAt([], 5)).toBeUndefined();
});

test.each([
  [null, { startSec: 10 }, { startSec: 10, endSec: 40 }],
  [null, { startSec: 50 }, { startSec: 50, endSec: 60 }],
  [null, { startSec: 60 }, { startSec: 59, endSec: 60 }],
  [null, { endSec: 20 }, { startSec: 0, endSec: 20 }],
  [{ startSec: 1, endSec: 2 }, { endSec: 9 }, { startSec: 1, endSec: 9 }],
])("in a video of 60 s, the clip %o with %o is %o", (clip, end, expected) => {
  expect(clipBetween(clip, end, 60)).toEqual(expected);
});

test("a clip must have a length and start within the video", () => {
  expect(clipProblemOf({ startSec: 1, endSec: 2 }, 60)).toBeUndefined();
  expect(clipProblemOf({ startSec: 2, endSec: 2 }, 60)).toBe("The end must be after the start.");
  expect(clipProblemOf({ startSec: 60, endSec: 70 }, 60)).toContain("after the end of the video");
});
