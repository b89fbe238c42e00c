import { expect, test } from "vitest";
import { moveSpan, zoomIn } from "./history-card.tsx";

test("zooming in keeps the later half, down to three points", () => {
  expect(zoomIn({ from: 0, to: 143 })).toEqual({ from: 72, to: 143 });
  expect(zoomIn({ from: 139, to: 143 })).toEqual({ from: 141, to: 143 });
  expect(zoomIn({ from: 141, to: 143 })).toEqual({ from: 141, to: 143 });
});

test("a span moves by half of its length and stops at the ends", () => {
  expect(moveSpan({ from: 72, to: 143 }, -1, 144)).toEqual({ from: 36, to: 107 });
  expect(moveSpan({ from: 10, to: 50 }, -1, 144)).toEqual({ from: 0, to: 40 });
  expect(moveSpan({ from: 100, to: 140 }, 1, 144)).toEqual({ from: 103, to: 143 });
});
