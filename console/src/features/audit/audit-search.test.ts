import { expect, test } from "vitest";
import { spanOf } from "./audit-search.ts";

const local = (month: number, day: number) => new Date(2026, month - 1, day).toISOString();
const NOW_MS = new Date(2026, 2, 1, 15, 30).getTime();

test.each([
  [{}, {}],
  [{ period: "today" }, { since: local(3, 1), until: local(3, 2) }],
  [{ period: "yesterday" }, { since: local(2, 28), until: local(3, 1) }],
  [{ period: "week" }, { since: local(2, 23), until: local(3, 2) }],
  [{ period: "dates", from: "2026-02-27" }, { since: local(2, 27) }],
  [
    { period: "dates", from: "2026-02-27", to: "2026-02-28" },
    { since: local(2, 27), until: local(3, 1) },
  ],
] as const)("%j spans whole days", (search, span) => {
  expect(spanOf(search, NOW_MS)).toEqual(span);
});
