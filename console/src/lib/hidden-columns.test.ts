import { expect, test } from "vitest";
import { hiddenIds, withColumn } from "./hidden-columns.ts";

const COLUMNS = ["size", "started", "duration"];

test("a column is hidden and shown again, and the address names the hidden in the table's order", () => {
  const one = withColumn(undefined, COLUMNS, "duration");
  const two = withColumn(one, COLUMNS, "size");
  expect(two).toBe("size,duration");
  expect(withColumn(two, COLUMNS, "duration")).toBe("size");
  expect(withColumn("size", COLUMNS, "size")).toBeUndefined();
});

test("what an address says of columns that are not there is forgotten at the next change", () => {
  expect(withColumn("nonsense,size", COLUMNS, "started")).toBe("size,started");
  expect(hiddenIds("a,b")).toEqual(["a", "b"]);
  expect(hiddenIds(undefined)).toEqual([]);
});
