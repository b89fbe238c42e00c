import { expect, test } from "vitest";
import { formatBytes } from "#contract/format-bytes.ts";
import {
  formatDate,
  formatDateTime,
  formatDuration,
  formatGigabytes,
  formatHours,
  formatPercent,
  formatPlural,
  formatRelative,
  formatTotal,
  formatUptime,
  formatUsd,
} from "./format.ts";

test.each([
  [0, "0 Bytes"],
  [1, "1 Bytes"],
  [1023, "1023 Bytes"],
  [1024, "1 KB"],
  [1536, "1.5 KB"],
  [283_115_520, "270 MB"],
  [5 * 1024 ** 3, "5 GB"],
  [1024 ** 4, "1 TB"],
  [2048 * 1024 ** 4, "2048 TB"],
  [1024 ** 2 - 1, "1 MB"],
  [1023.4 * 1024, "1023 KB"],
  [1023.6 * 1024, "1 MB"],
  [1024 ** 4 - 1, "1 TB"],
])("formats %d bytes as %s", (sizeBytes, text) => {
  expect(formatBytes(sizeBytes)).toBe(text);
});

test.each([
  [0, "$0.00"],
  [12.3, "$12.30"],
  [0.0043, "$0.0043"],
  [1.395, "$1.3950"],
  [0.00004, "$0.00"],
  [1234.56789, "$1,234.5679"],
  [-1.5, "-$1.50"],
  [-0.00001, "$0.00"],
])("formats %d USD as %s, with two to four decimals", (amountUsd, text) => {
  expect(formatUsd(amountUsd)).toBe(text);
});

test.each([
  [0, "0%"],
  [0.04, "<0.1%"],
  [12.34, "12.3%"],
  [28.999_999_999_999_996, "29%"],
  [99.96, "99.9%"],
  [100, "100%"],
  [188.96, "189%"],
])("formats %d percent as %s, without rounding up to the whole", (percent, text) => {
  expect(formatPercent(percent)).toBe(text);
});

test("hours are whole only from ten on", () => {
  expect([450, 35_999, 36_000, 2_412_000].map(formatHours)).toEqual([
    "7m 30s",
    "9h 59m",
    "10 h",
    "670 h",
  ]);
});

test("durations show their two largest units, and an uptime days, hours and minutes", () => {
  const shown = [0, 59.6, 61, 3_600, 90_061].map(formatDuration);
  expect(shown).toEqual(["0s", "1m 0s", "1m 1s", "1h 0m", "1d 1h"]);
  expect([0, 93_784].map(formatUptime)).toEqual(["0d 0h 0m", "1d 2h 3m"]);
});

test.each([
  [9, "just now"],
  [-14, "just now"],
  [-15, "in 15 sec."],
  [30, "30 sec. ago"],
  [3_599, "59 min. ago"],
  [7_200, "2 hr. ago"],
  [86_400, "yesterday"],
])("formats %d seconds ago as %s", (seconds, text) => {
  const nowMs = Date.UTC(2026, 10, 20, 12);
  expect(formatRelative(new Date(nowMs - seconds * 1_000), nowMs)).toBe(text);
});

test("relative times read as the browser's own, in English", () => {
  const intl = new Intl.RelativeTimeFormat("en", { numeric: "auto", style: "short" });
  const units = [
    ["year", 31_536_000],
    ["month", 2_592_000],
    ["day", 86_400],
    ["hour", 3_600],
    ["minute", 60],
  ] as const;
  for (const [unit, seconds] of units)
    for (const count of [-2, -1, 1, 2])
      expect(formatRelative(new Date(count * seconds * 1_000), 0)).toBe(intl.format(count, unit));
});

test("a capped total ends with a plus sign", () => {
  expect(formatTotal(10_000, true)).toBe("10,000+");
  expect(formatTotal(9_999, undefined)).toBe("9,999");
  expect(formatTotal(10_000, true, ["user", "users"])).toBe("10,000+ users");
  expect(formatTotal(1, undefined, ["user", "users"])).toBe("1 user");
  expect(formatTotal(0, undefined, ["entry", "entries"])).toBe("0 entries");
});

test("uses the singular for one", () => {
  expect(formatPlural(1, "upload")).toBe("1 upload");
  expect(formatPlural(2_000, "upload")).toBe("2,000 uploads");
});

test.each([
  [0, "0 Bytes"],
  [0.004, "4.1 MB"],
  [834.072, "834 GB"],
  [2_856.22, "2.79 TB"],
])("formats %d gigabytes as %s", (sizeGB, text) => {
  expect(formatGigabytes(sizeGB)).toBe(text);
});

test("American dates read as the browser would write them", () => {
  const date = new Intl.DateTimeFormat("en-US", { dateStyle: "medium" });
  const both = new Intl.DateTimeFormat("en-US", { dateStyle: "medium", timeStyle: "medium" });
  for (let hour = 0; hour < 24; hour += 1) {
    const at = new Date(2026, hour % 12, hour + 1, hour, hour * 2, 59 - hour);
    expect(formatDate(at)).toBe(date.format(at));
    expect(formatDateTime(at)).toBe(both.format(at));
  }
});
