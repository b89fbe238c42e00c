import { expect, test } from "vitest";
import * as z from "zod/mini";
import {
  LIST_PARAMS,
  parseSearch,
  searchReader,
  stringifySearch,
  textParam,
} from "./search-params.ts";

const read = searchReader({ ...LIST_PARAMS, status: z.enum(["failed"]), note: textParam(5) });

test("numeric search values stay strings, and special characters are encoded", () => {
  expect(parseSearch("?search=2000001010&page=2")).toEqual({ search: "2000001010", page: "2" });
  expect(stringifySearch({ search: "50% & more", page: undefined })).toBe("?search=50%25+%26+more");
  expect(parseSearch(stringifySearch({ search: "50% & more" }))).toEqual({ search: "50% & more" });
  expect(stringifySearch({})).toBe("");
});

test("invalid values are ignored", () => {
  for (const page of ["0", "1", "-3", "2.5", "x", "99999999", undefined, null, [2, 3]])
    expect(read({ page }).page).toBeUndefined();
  const nothing = read({ status: "weird", order: "desc", search: "", unknown: "x" });
  expect(Object.values(nothing).filter((value) => value !== undefined)).toEqual([]);
  expect(read({ page: "12", status: "failed", note: "abcdefgh" })).toMatchObject({
    page: 12,
    status: "failed",
    note: "abcde",
  });
  expect(read({ page: 12 }).page).toBe(12);
});
