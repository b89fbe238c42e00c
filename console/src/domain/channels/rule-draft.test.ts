import { expect, test } from "vitest";
import { BUILT_IN_RULE, type Rule } from "#contract/channel-rules.ts";
import { draftOf, editedKeys, mergeChanges, readDraft, type RuleDraft } from "./rule-draft.ts";

const RULES: readonly Rule[] = [
  BUILT_IN_RULE,
  {
    kinds: ["archive", "upload"],
    minDurationSec: 95,
    titleIncludes: ["Sunrise", "run 2"],
    titleExcludes: ["rerun"],
    quality: "720p",
    chat: false,
    backDays: null,
    retention: { keep: "bytes", sizeBytes: 1_500_000_000 },
  },
  { ...BUILT_IN_RULE, backDays: 14, minDurationSec: 0, retention: { keep: "count", count: 5 } },
];

test.each(RULES)("what a rule is shown as reads as the same rule", (rule) => {
  expect(readDraft(draftOf(rule))).toEqual({ rule, faults: {} });
});

const draft = draftOf(BUILT_IN_RULE);

test.each([
  [{ minDurationSec: "1.5 h" }, { minDurationSec: 5_400 }],
  [{ minDurationSec: " 90m " }, { minDurationSec: 5_400 }],
  [{ titleIncludes: " a b, ,c," }, { titleIncludes: ["a b", "c"] }],
] satisfies [Partial<RuleDraft>, Partial<Rule>][])("%j reads as %j", (typed, read) => {
  expect(readDraft({ ...draft, ...typed }).rule).toMatchObject(read);
});

test.each([
  [{ kinds: [] }, "kinds"],
  [{ minDurationSec: "long" }, "minDurationSec"],
  [{ minDurationSec: "-5" }, "minDurationSec"],
  [{ minDurationSec: "169h" }, "minDurationSec"],
  [{ titleExcludes: "x,".repeat(21) }, "titleExcludes"],
  [{ backDays: { from: "days", days: "0" } }, "backDays"],
  [{ backDays: { from: "days", days: "soon" } }, "backDays"],
  [{ retention: { keep: "days", value: "" } }, "retention"],
  [{ retention: { keep: "count", value: "1.5" } }, "retention"],
  [{ retention: { keep: "bytes", value: "0.2" } }, "retention"],
] satisfies [Partial<RuleDraft>, string][])("%j is refused at its field", (typed, field) => {
  const { rule, faults } = readDraft({ ...draft, ...typed });
  expect(rule).toBeUndefined();
  expect(Object.keys(faults)).toEqual([field]);
});

test("an edit keeps what somebody else has changed meanwhile, and takes back what was undone", () => {
  const before = { draft, own: new Set(["quality", "chat"] as const) };
  const now = {
    draft: { ...draft, quality: "best", minDurationSec: "10" } as const,
    own: new Set(["minDurationSec", "chat"] as const),
  };
  const edited = editedKeys(before, now);
  expect(edited).toEqual(["minDurationSec", "quality"]);
  const { rule = BUILT_IN_RULE } = readDraft(now.draft);
  const latest = { quality: "720p" as const, chat: false, titleExcludes: ["rerun"] };
  expect(mergeChanges(latest, edited, now.own, rule)).toEqual({
    minDurationSec: 600,
    chat: false,
    titleExcludes: ["rerun"],
  });
});
