import { expect, test } from "vitest";
import { holdRows } from "./held-rows.ts";

const rowsOf = (ids: string, text = "") => ids.split("").map((id) => ({ id, text }));

test.each([
  { name: "updates show in place", latest: "ba", shown: "ba" },
  { name: "a new row is counted", latest: "cba", shown: "ba", arrived: 1 },
  { name: "a row that left stays, and is gone", latest: "a", shown: "ba", gone: ["b"] },
  { name: "a row pushed off the page stays", latest: "cb", shown: "ba", arrived: 1 },
  {
    name: "one above a row that stays was not pushed off",
    latest: "cda",
    shown: "ba",
    arrived: 2,
    gone: ["b"],
  },
  { name: "another order waits", latest: "ab", shown: "ba" },
  { name: "a row from the next page is no new one", latest: "bz", shown: "ba", gone: ["a"] },
  { name: "another page is all new", latest: "xy", shown: "ba", arrived: 2 },
])("$name", ({ latest, shown, arrived = 0, gone = [] }) => {
  const held = holdRows(rowsOf("ba"), rowsOf(latest, "new"), ({ id }) => id);
  expect(held.rows.map(({ id }) => id).join("")).toBe(shown);
  expect(held.rows.every(({ id, text }) => (text === "new") === latest.includes(id))).toBe(true);
  expect({ arrived: held.arrived, gone: [...held.gone] }).toEqual({ arrived, gone });
});
