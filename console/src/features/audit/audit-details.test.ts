import { expect, test } from "vitest";
import { changesOf } from "./audit-details.tsx";

test("only changed fields are listed, each with both values", () => {
  const before = { budget: 50, pause: false, note: "a" };
  const after = { budget: 60, pause: false, extra: null };
  expect(changesOf(before, after)).toEqual([
    { field: "budget", before: "50", after: "60" },
    { field: "note", before: "a", after: undefined },
    { field: "extra", before: undefined, after: "null" },
  ]);
});

test("lists of words are joined, and non-object values are compared as a whole", () => {
  expect(changesOf({ permissions: [] }, { permissions: ["read:users", "write:users"] })).toEqual([
    { field: "permissions", before: "none", after: "read:users, write:users" },
  ]);
  expect(changesOf("old", ["new", 1])).toEqual([{ field: "", before: "old", after: '["new",1]' }]);
});

test("an entry without both values has no changes", () => {
  expect(changesOf(null, null)).toEqual([]);
});
