import { formatBytes } from "#contract/format-bytes.ts";
import type { Retention, Rule, VodKind } from "#contract/channel-rules.ts";
import { QUALITY_LABELS } from "#console/domain/uploads/rendition-text.ts";
import { formatCount, formatDuration, formatPlural } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import type { RuleKey } from "./rule-draft.ts";

export const KIND_LABELS: Readonly<Record<VodKind, string>> = {
  archive: "Past broadcasts",
  highlight: "Highlights",
  upload: "Uploads",
};

export const RULE_FIELDS: Readonly<Record<RuleKey, string>> = {
  kinds: "Kinds",
  minDurationSec: "Shortest length",
  titleIncludes: "Title has one of",
  titleExcludes: "Title has none of",
  quality: "Picture",
  chat: "Chat",
  backDays: "How far back",
  retention: "Kept",
};

function retentionText(retention: Retention): string {
  if (retention.keep === "days") return `for ${formatPlural(retention.days, "day")}`;
  if (retention.keep === "count") return `the newest ${formatCount(retention.count)}`;
  return retention.keep === "bytes" ? `at most ${formatBytes(retention.sizeBytes)}` : "all";
}

function wordsText(words: readonly string[]): string {
  return words.length === 0 ? "any words" : visibleText(words.join(", "));
}

function lengthText(sec: number | null): string {
  return sec === null ? "no limit" : formatDuration(sec);
}

/** The value of one field of a rule, e.g. "at most 720p". */
export function ruleValueText(rule: Rule, key: RuleKey): string {
  const { backDays } = rule;
  const texts: Record<RuleKey, () => string> = {
    kinds: () => rule.kinds.map((kind) => KIND_LABELS[kind]).join(", "),
    minDurationSec: () => lengthText(rule.minDurationSec),
    titleIncludes: () => wordsText(rule.titleIncludes),
    titleExcludes: () =>
      rule.titleExcludes.length === 0 ? "no words" : wordsText(rule.titleExcludes),
    quality: () => QUALITY_LABELS[rule.quality],
    chat: () => (rule.chat ? "with chat" : "without chat"),
    backDays: () =>
      backDays === null
        ? "everything"
        : backDays === 0
          ? "new ones only"
          : formatPlural(backDays, "day"),
    retention: () => retentionText(rule.retention),
  };
  return texts[key]().toLowerCase();
}
