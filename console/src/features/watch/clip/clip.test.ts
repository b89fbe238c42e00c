import { expect, test } from "vitest";
import { clipBetween, clipFrom, clipNameOf, problemOf } from "./clip.ts";

test("the initial clip lies within the video", () => {
  expect(clipFrom(10, 60)).toEqual({ startSec: 10, endSec: 40 });
  expect(clipFrom(50, 60)).toEqual({ startSec: 50, endSec: 60 });
  expect(clipFrom(60, 60)).toEqual({ startSec: 59, endSec: 60 });
});

test("a clip must have a length and start within the video", () => {
  expect(problemOf({ startSec: 1, endSec: 2 }, 60)).toBeUndefined();
  expect(problemOf({ startSec: 2, endSec: 2 }, 60)).toBe("The end must be after the start.");
  expect(problemOf({ startSec: 60, endSec: 70 }, 60)).toContain("after the end of the video");
});

test("setting one end without a clip proposes the other", () => {
  expect(clipBetween(null, { startSec: 10 })).toEqual({ startSec: 10, endSec: 40 });
  expect(clipBetween(null, { endSec: 20 })).toEqual({ startSec: 0, endSec: 20 });
  expect(clipBetween({ startSec: 1, endSec: 2 }, { endSec: 9 })).toEqual({
    startSec: 1,
    endSec: 9,
  });
});

test("a long title is shortened to make room for channel and time", () => {
  const name = clipNameOf("Example", "Title ".repeat(20), 3_723);
  expect(name).toMatch(/^Example - Title .+ - 1h2m3s$/);
  expect(name.length).toBeLessThanOrEqual(60);
  expect(clipNameOf(undefined, "Holiday", 3_723)).toBe("Holiday - 1h2m3s");
});
