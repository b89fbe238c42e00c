import { expect, test } from "vitest";
import { dayCount, dayOf, daysUpTo, periodAt } from "./billing-period.ts";

const at = (text: string) => Date.parse(text);

test("a period is a calendar month in UTC", () => {
  expect(periodAt(at("2026-11-20T13:00:00Z"))).toEqual({
    name: "2026-11",
    startAt: at("2026-11-01T00:00:00Z"),
    endAt: at("2026-12-01T00:00:00Z"),
    firstDay: "2026-11-01",
    lastDay: "2026-11-30",
    dayCount: 30,
  });
});

test("the last millisecond of a year belongs to December, the next one to January", () => {
  expect(periodAt(at("2026-12-31T23:59:59.999Z")).name).toBe("2026-12");
  expect(periodAt(at("2027-01-01T00:00:00.000Z")).name).toBe("2027-01");
});

test("February has 29 days in a leap year and 28 in others, also in 2100", () => {
  expect(periodAt(at("2028-02-29T12:00:00Z"))).toMatchObject({
    dayCount: 29,
    lastDay: "2028-02-29",
  });
  expect(periodAt(at("2027-02-01T00:00:00Z")).dayCount).toBe(28);
  expect(periodAt(at("2100-02-01T00:00:00Z")).dayCount).toBe(28);
});

test("days are counted across months and leap days", () => {
  expect(daysUpTo("2028-03-01", 3)).toEqual(["2028-02-28", "2028-02-29", "2028-03-01"]);
  expect(dayCount("2028-02-28", "2028-03-01")).toBe(3);
  expect(dayCount("2028-03-02", "2028-03-01")).toBe(0);
  expect(dayOf(at("2026-11-20T23:59:59.999Z"))).toBe("2026-11-20");
});
