import { expect, test } from "vitest";
import { storageOutlook } from "./outlook.ts";

const GIB = 1024 ** 3;
const WEEK = [9, 13, 13, 13, 13, 13, 13, 13];

/** GiB used, free on the disk (null for a bucket), and stored at most on the last days. */
test.each<[number, number | null, number[], string | null]>([
  [20, 76, [...WEEK, 20], "76 GB free, 76 days left at this week's rate"],
  [20, 15, [10, 12, 20], "15 GB free, 3 days left at this week's rate"],
  [20, 1, [10, 20], "1 GB free, less than a day left at this week's rate"],
  [20, 9_000, [19.9, 20], "8.79 TB free, enough for years at this week's rate"],
  [20, 76, [30, 20], "76 GB free"],
  [20, 76, [20], "76 GB free"],
  [20, null, [10, 20], "Storage grows by 70 GB a week"],
  [20, null, [30, 20], "Storage does not grow"],
  [20, null, [20], null],
])("the outlook of %d GiB with %s free after %j is %s", (used, free, days, text) => {
  const stored = [...Array<null>(14 - days.length).fill(null), ...days.map((gib) => gib * GIB)];
  const storage = { used: used * GIB, free: free && free * GIB, percentage: 0, trashBytes: 0 };
  expect(storageOutlook(storage, stored)).toBe(text);
});
