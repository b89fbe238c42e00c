import { expect, test } from "vitest";
import {
  parseSearch,
  readChoice,
  readFlag,
  readPage,
  readText,
  stringifySearch,
} from "./search-params.ts";

test("a search for digits stays text", () => {
  expect(parseSearch("?search=2000001010&page=2")).toEqual({ search: "2000001010", page: "2" });
  expect(stringifySearch({ search: "50% & more", page: undefined })).toBe("?search=50%25+%26+more");
  expect(parseSearch(stringifySearch({ search: "50% & more" }))).toEqual({ search: "50% & more" });
  expect(stringifySearch({})).toBe("");
});

test("values that make no sense count as absent", () => {
  expect(["0", "1", "-3", "2.5", "x", "99999999", undefined].map(readPage)).toEqual(
    Array.from({ length: 7 }),
  );
  expect(readPage("12")).toBe(12);
  expect(readChoice("weird", ["failed"])).toBeUndefined();
  expect(readFlag("yes")).toBeUndefined();
  expect(readText("", 5)).toBeUndefined();
  expect(readText("abcdefgh", 5)).toBe("abcde");
});
