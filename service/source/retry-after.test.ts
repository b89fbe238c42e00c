import { expect, it } from "vitest";
import { readRetryAfterMs } from "./retry-after.ts";

const nowMs = Date.parse("2026-11-20T12:00:00Z");
const nowSec = nowMs / 1_000;

it.each<[string, Record<string, string>, number | null]>([
  ["seconds", { "retry-after": "7" }, 7_000],
  ["a date", { "retry-after": "Fri, 20 Nov 2026 12:00:30 GMT" }, 30_000],
  ["a date that has passed", { "retry-after": "Fri, 20 Nov 2026 11:00:00 GMT" }, 1_000],
  ["zero seconds", { "retry-after": "0" }, 1_000],
  ["a huge number", { "retry-after": "999999999" }, 86_400_000],
  ["a number of 30 digits", { "retry-after": "9".repeat(30) }, null],
  ["text that is not a number", { "retry-after": "-5" }, null],
  ["a word", { "retry-after": "soon" }, null],
  ["Helix's reset", { "ratelimit-reset": String(nowSec + 20) }, 20_000],
  ["Helix's reset in the past", { "ratelimit-reset": String(nowSec - 20) }, 1_000],
  [
    "Retry-After if both headers are present",
    { "retry-after": "5", "ratelimit-reset": "1" },
    5_000,
  ],
  ["missing headers", {}, null],
])("reads %s", (_what, headers, expected) => {
  expect(readRetryAfterMs(new Headers(headers), nowMs)).toBe(expected);
});
