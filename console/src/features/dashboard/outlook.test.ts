import { expect, test } from "vitest";
import { storageOutlook } from "./outlook.ts";

const GIB = 1024 ** 3;

/** Two weeks, of which the last days are given in GiB; the last of them is today so far. */
function history(...last: (number | null)[]): (number | null)[] {
  const bytes = last.map((gib) => gib && gib * GIB);
  return [...Array<null>(14 - last.length).fill(null), ...bytes];
}

test.each([
  [
    "a week on a disk",
    20,
    76,
    history(9, 9, 13, 13, 13, 13, 13, 13, 13, 20),
    "76 GB free, 76 days left at this week's rate",
  ],
  [
    "two days on a disk",
    20,
    15,
    history(10, 12, 20),
    "15 GB free, 3 days left at this week's rate",
  ],
  [
    "a disk that is nearly full",
    20,
    1,
    history(10, 20),
    "1 GB free, less than a day left at this week's rate",
  ],
  [
    "a slow disk",
    20,
    9_000,
    history(19.9, 20),
    "8.79 TB free, enough for years at this week's rate",
  ],
  ["a disk that shrinks", 20, 76, history(30, 20), "76 GB free"],
  ["a disk's first day", 20, 76, history(20), "76 GB free"],
  ["a bucket", 20, null, history(10, 20), "Storage grows by 70 GB a week"],
  ["a bucket that shrinks", 20, null, history(30, 20), "Storage does not grow"],
  ["a bucket's first day", 20, null, history(20), null],
] as const)("the outlook of %s", (_what, used, free, storedBytes, text) => {
  const storage = { used: used * GIB, free: free && free * GIB, percentage: 0 };
  expect(storageOutlook(storage, [...storedBytes])).toBe(text);
});
