import { expect, test } from "vitest";
import { parseTime } from "#contract/clock-time.ts";
import { formatClock, formatTime, speakTime } from "./watch-time.ts";

test.each([
  ["1h2m3s", 3_723],
  ["2m", 120],
  ["90", 90],
  ["90s", 90],
  ["0s", 0],
  ["1:02:03", 3_723],
  ["125:09", 7_509],
  [" 0:30 ", 30],
])("parses the time %s as %i seconds", (text, sec) => {
  expect(parseTime(text)).toBe(sec);
});

test.each(["", "1x", "s", "-5", "1.5", "2m1h", "1:2m"])("rejects %j as a time", (text) => {
  expect(parseTime(text)).toBeUndefined();
});

test.each([0, 59, 60, 3_600, 3_723, 36_001])(
  "%i seconds are unchanged after formatting and parsing",
  (sec) => {
    expect(parseTime(formatTime(sec))).toBe(sec);
  },
);

test("formats times as on a clock and as spoken", () => {
  expect([formatClock(9.9), formatClock(125), formatClock(3_723)]).toEqual([
    "0:09",
    "2:05",
    "1:02:03",
  ]);
  expect([speakTime(0), speakTime(60), speakTime(3_723)]).toEqual([
    "0 seconds",
    "1 minute",
    "1 hour 2 minutes 3 seconds",
  ]);
});
