import { expect, test } from "vitest";
import { hiddenIds, withColumn } from "./hidden-columns.ts";

const COLUMNS = ["size", "started", "duration"];

test("columns can be hidden and shown again, and hidden ones are listed in table order", () => {
  const one = withColumn(undefined, COLUMNS, "duration");
  const two = withColumn(one, COLUMNS, "size");
  expect(two).toBe("size,duration");
  expect(withColumn(two, COLUMNS, "duration")).toBe("size");
  expect(withColumn("size", COLUMNS, "size")).toBeUndefined();
});

test("unknown columns in the URL are dropped at the next change", () => {
  expect(withColumn("nonsense,size", COLUMNS, "started")).toBe("size,started");
  expect(hiddenIds("a,b")).toEqual(["a", "b"]);
  expect(hiddenIds(undefined)).toEqual([]);
});
