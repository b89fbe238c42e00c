import * as z from "zod/mini";
import {
  ruleChangesSchema,
  ruleSchema,
  type Retention,
  type Rule,
  type RuleChanges,
  type VodKind,
} from "#contract/channel-rules.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { QUALITY_LABELS } from "#console/domain/uploads/rendition-text.ts";
import { formatCount, formatDuration, formatPlural } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";

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

export const KIND_LABELS: Readonly<Record<VodKind, string>> = {
  archive: "Past broadcasts",
  highlight: "Highlights",
  upload: "Uploads",
};

/** A field's name, how it is typed, and its value in words. */
type Field<Value, Typed> = {
  readonly name: string;
  readonly write: (value: Value) => Typed;
  /** The contract refuses what cannot be read, e.g. NaN. */
  readonly read: (typed: Typed) => unknown;
  readonly fault: (typed: Typed) => string;
  readonly say: (value: Value) => string;
};

const DAYS_FAULT = "Enter a number of days from 1 to 36,500.";
const BYTES_PER_GB = 1024 ** 3;

const wordsField = (name: string, none: string): Field<readonly string[], string> => ({
  name,
  write: (words) => words.join(", "),
  read: (typed) =>
    typed
      .split(",")
      .map((word) => word.trim())
      .filter((word) => word !== ""),
  fault: () => "Enter at most 20 words or phrases, each of at most 100 characters.",
  say: (words) => (words.length === 0 ? none : visibleText(words.join(", "))),
});

const asIs = <Value>(value: Value): Value => value;

export const RULE_FIELDS: { readonly [Key in RuleKey]: Field<Rule[Key], RuleDraft[Key]> } = {
  kinds: {
    name: "Kinds",
    write: asIs,
    read: asIs,
    fault: () => "Choose at least one kind.",
    say: (kinds) => kinds.map((kind) => KIND_LABELS[kind]).join(", "),
  },
  minDurationSec: {
    name: "Shortest length",
    write(sec) {
      if (sec === null) return "";
      return sec > 0 && sec % 3_600 === 0 ? `${sec / 3_600}h` : String(sec / 60);
    },
    read(typed) {
      if (typed.trim() === "") return null;
      const secPerUnit = /h\s*$/i.test(typed) ? 3_600 : 60;
      return Math.round(readNumber(typed, /^\d{1,6}(?:\.\d+)?\s*[hm]?$/i) * secPerUnit);
    },
    fault: () => "Enter minutes, or hours as in 1.5h; at most a week.",
    say: (sec) => (sec === null ? "no limit" : formatDuration(sec)),
  },
  titleIncludes: wordsField("Title has one of", "any words"),
  titleExcludes: wordsField("Title has none of", "no words"),
  quality: {
    name: "Picture",
    write: asIs,
    read: asIs,
    fault: () => "",
    say: (quality) => QUALITY_LABELS[quality],
  },
  chat: {
    name: "Chat",
    write: asIs,
    read: asIs,
    fault: () => "",
    say: (chat) => (chat ? "with chat" : "without chat"),
  },
  backDays: {
    name: "How far back",
    write: (days) => ({
      from: days === null ? "all" : days === 0 ? "new" : "days",
      days: String(days || 30),
    }),
    read({ from, days }) {
      if (from === "days") return readNumber(days) || Number.NaN;
      return from === "all" ? null : 0;
    },
    fault: () => DAYS_FAULT,
    say(days) {
      if (days === null) return "everything";
      return days === 0 ? "new ones only" : formatPlural(days, "day");
    },
  },
  retention: {
    name: "Kept",
    write(retention) {
      const { keep } = retention;
      if (keep === "days") return { keep, value: String(retention.days) };
      if (keep === "count") return { keep, value: String(retention.count) };
      return { keep, value: keep === "all" ? "" : String(retention.sizeBytes / BYTES_PER_GB) };
    },
    read({ keep, value }) {
      if (keep === "days") return { keep, days: readNumber(value) };
      if (keep === "count") return { keep, count: readNumber(value) };
      if (keep === "all") return { keep };
      const gigabytes = readNumber(value, /^\d{1,9}(?:\.\d+)?$/);
      return { keep, sizeBytes: Math.round(gigabytes * BYTES_PER_GB) };
    },
    fault({ keep }) {
      if (keep === "days") return DAYS_FAULT;
      return keep === "count"
        ? "Enter a number of VODs from 1 to 100,000."
        : "Enter a size from 1 to 900,000 GB.";
    },
    say(retention) {
      if (retention.keep === "days") return `for ${formatPlural(retention.days, "day")}`;
      if (retention.keep === "count") return `the newest ${formatCount(retention.count)}`;
      return retention.keep === "bytes" ? `at most ${formatBytes(retention.sizeBytes)}` : "all";
    },
  },
};

/** NaN if it is no such number. */
function readNumber(text: string, form = /^\d{1,9}$/): number {
  return form.test(text.trim()) ? Number.parseFloat(text) : Number.NaN;
}

/** The value of one field of a rule, e.g. "at most 720p". */
export function ruleValueText<Key extends RuleKey>(rule: Pick<Rule, Key>, key: Key): string {
  return RULE_FIELDS[key].say(rule[key]).toLowerCase();
}

export function draftOf(rule: Rule): RuleDraft {
  const write = <Key extends RuleKey>(key: Key): RuleDraft[Key] =>
    RULE_FIELDS[key].write(rule[key]);
  return {
    ...rule,
    minDurationSec: write("minDurationSec"),
    titleIncludes: write("titleIncludes"),
    titleExcludes: write("titleExcludes"),
    backDays: write("backDays"),
    retention: write("retention"),
  };
}

export type RuleFaults = Readonly<Partial<Record<RuleKey, string>>>;

/** The rule, or what is wrong with its fields. */
export function readDraft(draft: RuleDraft): {
  readonly rule?: Rule;
  readonly faults: RuleFaults;
} {
  const read = <Key extends RuleKey>(key: Key, typed: RuleDraft[Key]) =>
    RULE_FIELDS[key].read(typed);
  const faultOf = <Key extends RuleKey>(key: Key, typed: RuleDraft[Key]) =>
    RULE_FIELDS[key].fault(typed);
  const entries = RULE_KEYS.map((key) => [key, read(key, draft[key])] as const);
  const { data: rule, error } = ruleSchema.safeParse(Object.fromEntries(entries));
  if (rule !== undefined) return { rule, faults: {} };
  const paths = error?.issues.map(({ path }) => path[0]) ?? [];
  const faulty = RULE_KEYS.filter((key) => paths.includes(key));
  return { faults: Object.fromEntries(faulty.map((key) => [key, faultOf(key, draft[key])])) };
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
