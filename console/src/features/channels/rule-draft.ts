import * as z from "zod/mini";
import {
  ruleChangesSchema,
  ruleSchema,
  type Retention,
  type Rule,
  type RuleChanges,
} from "#contract/channel-rules.ts";

export const RULE_KEYS = z.keyof(ruleSchema).options;
export type RuleKey = keyof Rule;

/** A rule as typed: numbers are text until they are read. */
export type RuleDraft = Pick<Rule, "kinds" | "quality" | "chat"> & {
  /** In minutes or, with "h", in hours; empty for no limit. */
  readonly minDurationSec: string;
  /** Separated by commas. */
  readonly titleIncludes: string;
  readonly titleExcludes: string;
  readonly backDays: { readonly from: "new" | "days" | "all"; readonly days: string };
  /** The value is a number of days or VODs, or a size in GB. */
  readonly retention: { readonly keep: Retention["keep"]; readonly value: string };
};

/** What an editor holds: all fields, and which of them are a channel's own. */
export type RuleEdit = { readonly draft: RuleDraft; readonly own: ReadonlySet<RuleKey> };

const BYTES_PER_GB = 1024 ** 3;

function lengthText(sec: number | null): string {
  if (sec === null) return "";
  return sec > 0 && sec % 3_600 === 0 ? `${sec / 3_600}h` : String(sec / 60);
}

export function draftOf(rule: Rule): RuleDraft {
  const { backDays, retention } = rule;
  return {
    ...rule,
    minDurationSec: lengthText(rule.minDurationSec),
    titleIncludes: rule.titleIncludes.join(", "),
    titleExcludes: rule.titleExcludes.join(", "),
    backDays: {
      from: backDays === null ? "all" : backDays === 0 ? "new" : "days",
      days: String(backDays || 30),
    },
    retention: { keep: retention.keep, value: valueOf(retention) },
  };
}

function valueOf(retention: Retention): string {
  if (retention.keep === "days") return String(retention.days);
  if (retention.keep === "count") return String(retention.count);
  return retention.keep === "bytes" ? String(retention.sizeBytes / BYTES_PER_GB) : "";
}

/** NaN if it is no such number. */
function readNumber(text: string, form = /^\d{1,9}$/): number {
  return form.test(text.trim()) ? Number.parseFloat(text) : Number.NaN;
}

function readLength(text: string): number | null {
  if (text.trim() === "") return null;
  const secPerUnit = /h\s*$/i.test(text) ? 3_600 : 60;
  return Math.round(readNumber(text, /^\d{1,6}(?:\.\d+)?\s*[hm]?$/i) * secPerUnit);
}

function readWords(text: string): readonly string[] {
  return text
    .split(",")
    .map((word) => word.trim())
    .filter((word) => word !== "");
}

function readRetention({ keep, value }: RuleDraft["retention"]) {
  if (keep === "days") return { keep, days: readNumber(value) };
  if (keep === "count") return { keep, count: readNumber(value) };
  if (keep === "all") return { keep };
  return { keep, sizeBytes: Math.round(readNumber(value, /^\d{1,9}(?:\.\d+)?$/) * BYTES_PER_GB) };
}

function readBackDays({ from, days }: RuleDraft["backDays"]): number | null {
  if (from === "days") return readNumber(days) || Number.NaN;
  return from === "all" ? null : 0;
}

const WORDS_FAULT = "Enter at most 20 words or phrases, each of at most 100 characters.";
const DAYS_FAULT = "Enter a number of days from 1 to 36,500.";
const KEEP_FAULTS: Readonly<Record<Retention["keep"], string>> = {
  all: "",
  days: DAYS_FAULT,
  count: "Enter a number of VODs from 1 to 100,000.",
  bytes: "Enter a size from 1 to 900,000 GB.",
};

export type RuleFaults = Readonly<Partial<Record<RuleKey, string>>>;

/** The rule, or what is wrong with its fields. */
export function readDraft(draft: RuleDraft): {
  readonly rule?: Rule;
  readonly faults: RuleFaults;
} {
  const read = ruleSchema.safeParse({
    ...draft,
    minDurationSec: readLength(draft.minDurationSec),
    titleIncludes: readWords(draft.titleIncludes),
    titleExcludes: readWords(draft.titleExcludes),
    backDays: readBackDays(draft.backDays),
    retention: readRetention(draft.retention),
  });
  if (!read.success) {
    const words: RuleFaults = {
      kinds: "Choose at least one kind.",
      minDurationSec: "Enter minutes, or hours as in 1.5h; at most a week.",
      titleIncludes: WORDS_FAULT,
      titleExcludes: WORDS_FAULT,
      backDays: DAYS_FAULT,
      retention: KEEP_FAULTS[draft.retention.keep],
    };
    const paths = read.error.issues.map(({ path }) => path[0]);
    const faulty = RULE_KEYS.filter((key) => paths.includes(key));
    return { faults: Object.fromEntries(faulty.map((key) => [key, words[key]])) };
  }
  return { rule: read.data, faults: {} };
}

/** What one has edited since `before`. */
export function editedKeys(before: RuleEdit, now: RuleEdit): readonly RuleKey[] {
  return RULE_KEYS.filter(
    (key) =>
      before.own.has(key) !== now.own.has(key) ||
      JSON.stringify(before.draft[key]) !== JSON.stringify(now.draft[key]),
  );
}

/** The edited fields that hold neither what was seen nor what is to be saved: someone else's. */
export function overtakenKeys(
  edited: readonly RuleKey[],
  seen: RuleChanges,
  latest: RuleChanges,
  saved: RuleChanges,
): readonly RuleKey[] {
  return edited.filter((key) =>
    [seen, saved].every((one) => JSON.stringify(one[key]) !== JSON.stringify(latest[key])),
  );
}

/** A channel's changes after an edit; what somebody else has changed meanwhile stays. */
export function mergeChanges(
  latest: RuleChanges,
  edited: readonly RuleKey[],
  own: ReadonlySet<RuleKey>,
  rule: Rule,
): RuleChanges {
  const kept = Object.entries(latest).filter(([key]) => !edited.some((one) => one === key));
  const changed = edited.filter((key) => own.has(key)).map((key) => [key, rule[key]] as const);
  return ruleChangesSchema.parse(Object.fromEntries([...kept, ...changed]));
}
