import { expect, test } from "vitest";
import { storageOutlook } from "./outlook.ts";

const GIB = 1024 ** 3;

/** GiB free on the disk (null for a bucket), and added per day. */
test.each<[number | null, number | null, string | null]>([
  [76, 1, "76 GB free, 76 days left at this week's rate"],
  [1, 10, "1 GB free, less than a day left at this week's rate"],
  [9_000, 0.1, "8.79 TB free, enough for years at this week's rate"],
  [76, -10, "76 GB free"],
  [76, null, "76 GB free"],
  [null, 10, "Storage grows by 70 GB a week"],
  [null, -10, "Storage does not grow"],
  [null, null, null],
])("the outlook of %s GiB free with %s more per day is %s", (free, perDay, text) => {
  const storage = { used: 0, free: free && free * GIB, percentage: 0, trashBytes: 0 };
  expect(storageOutlook({ ...storage, bytesPerDay: perDay && perDay * GIB })).toBe(text);
});
