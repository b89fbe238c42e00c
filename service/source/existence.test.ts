import { expect, test } from "vitest";
import { agree, judgeAbsence, type Testimony } from "./existence.ts";

test.each<readonly [readonly Testimony[], Testimony]>([
  [["absent", "absent"], "absent"],
  [["absent", "present"], "present"],
  [["unanswered", "present"], "present"],
  [["absent", "unanswered"], "unanswered"],
  [["unanswered", "unanswered"], "unanswered"],
  [[], "unanswered"],
])("witnesses that say %j together say %s", (testimonies, agreed) => {
  expect(agree(testimonies)).toBe(agreed);
});

const NOW_MS = 1_000_000_000;

test.each<readonly [string, number | null, object]>([
  ["first", null, { kind: "doubted", sinceMs: NOW_MS, askAgainInMs: 60_000 }],
  [
    "soon after",
    NOW_MS - 59_000,
    { kind: "doubted", sinceMs: NOW_MS - 59_000, askAgainInMs: 1_000 },
  ],
  ["a minute after", NOW_MS - 60_000, { kind: "gone" }],
  [
    "before, by a clock",
    NOW_MS + 5_000,
    { kind: "doubted", sinceMs: NOW_MS, askAgainInMs: 60_000 },
  ],
])("an absence that was agreed on %s is judged", (_, absentSinceMs, verdict) => {
  expect(judgeAbsence(absentSinceMs, NOW_MS)).toEqual(verdict);
});
