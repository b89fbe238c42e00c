import { expect, test } from "vitest";
import { changesOf } from "./audit-changes.ts";

test("only the fields that changed are told, each with both sides", () => {
  const before = { budget: 50, pause: false, note: "a" };
  const after = { budget: 60, pause: false, extra: null };
  expect(changesOf(before, after)).toEqual([
    { field: "budget", before: "50", after: "60" },
    { field: "note", before: "a", after: undefined },
    { field: "extra", before: undefined, after: "null" },
  ]);
});

test("lists of words read as such, and what is no object as one value", () => {
  expect(changesOf({ permissions: [] }, { permissions: ["read:users", "write:users"] })).toEqual([
    { field: "permissions", before: "none", after: "read:users, write:users" },
  ]);
  expect(changesOf("old", ["new", 1])).toEqual([{ field: "", before: "old", after: '["new",1]' }]);
});

test("an entry without either side changed nothing", () => {
  expect(changesOf(null, null)).toEqual([]);
});
