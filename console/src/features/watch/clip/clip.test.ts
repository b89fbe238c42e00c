import { expect, test } from "vitest";
import { clipBetween, problemOf } from "./clip.ts";

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
  expect(problemOf({ startSec: 1, endSec: 2 }, 60)).toBeUndefined();
  expect(problemOf({ startSec: 2, endSec: 2 }, 60)).toBe("The end must be after the start.");
  expect(problemOf({ startSec: 60, endSec: 70 }, 60)).toContain("after the end of the video");
});
