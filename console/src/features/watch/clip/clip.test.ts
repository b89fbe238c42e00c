import { expect, test } from "vitest";
import { clipBetween, clipFrom, clipNameOf, problemOf } from "./clip.ts";

test("the first proposal lies within the video", () => {
  expect(clipFrom(10, 60)).toEqual({ fromSec: 10, toSec: 40 });
  expect(clipFrom(50, 60)).toEqual({ fromSec: 50, toSec: 60 });
  expect(clipFrom(60, 60)).toEqual({ fromSec: 59, toSec: 60 });
});

test("a span needs a length, and must start within the video", () => {
  expect(problemOf({ fromSec: 1, toSec: 2 }, 60)).toBeUndefined();
  expect(problemOf({ fromSec: 2, toSec: 2 }, 60)).toBe("The end must be after the start.");
  expect(problemOf({ fromSec: 60, toSec: 70 }, 60)).toContain("after the end of the video");
});

test("a mark without a clip proposes the other end", () => {
  expect(clipBetween(null, { fromSec: 10 })).toEqual({ fromSec: 10, toSec: 40 });
  expect(clipBetween(null, { toSec: 20 })).toEqual({ fromSec: 0, toSec: 20 });
  expect(clipBetween({ fromSec: 1, toSec: 2 }, { toSec: 9 })).toEqual({ fromSec: 1, toSec: 9 });
});

test("a long title leaves room for channel and time", () => {
  const clip = { fromSec: 3_723, toSec: 3_730 };
  const name = clipNameOf("Example", "Title ".repeat(20), clip);
  expect(name).toMatch(/^Example - Title .+ - 1h2m3s$/);
  expect(name.length).toBeLessThanOrEqual(60);
  expect(clipNameOf(undefined, "Holiday", clip)).toBe("Holiday - 1h2m3s");
});
