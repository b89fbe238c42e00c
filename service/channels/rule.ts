import {
  BUILT_IN_RULE,
  type LeftOutReason,
  type Rule,
  type RuleChanges,
  ruleChangesSchema,
  ruleSchema,
} from "#contract/channel-rules.ts";
import { ApiError } from "#service/api-error.ts";
import { normalized } from "#service/hidden-characters.ts";

/** What a rule judges of a VOD. */
export type JudgedVod = {
  readonly kind: string;
  readonly title: string;
  /** As the source states it, late while it grows; null if it does not. */
  readonly durationSec: number | null;
  readonly recordedAtMs: number;
  readonly isGrowing: boolean;
};

const DAY_MS = 86_400_000;

/** The default rule with a channel's changes. */
export function effectiveRule(defaults: Rule, changes: RuleChanges): Rule {
  return ruleSchema.parse({ ...defaults, ...changes });
}

/** The default rule; `stored` is what an administrator changed of the built-in one. */
export function defaultRule(stored: RuleChanges): Rule {
  return effectiveRule(BUILT_IN_RULE, stored);
}

/** @throws {ApiError} conflict if something else was saved since `replaces` was read */
export function assertReplaces(replaces: RuleChanges | undefined, saved: RuleChanges): void {
  if (replaces === undefined || textOf(replaces) === textOf(saved)) return;
  throw ruleConflict();
}

export function ruleConflict(): ApiError {
  return new ApiError("conflict", "Someone else has changed this rule. Look at it again.");
}

/** The schema orders the fields. */
function textOf(changes: RuleChanges): string {
  return JSON.stringify(ruleChangesSchema.parse(changes));
}

/** Why a rule leaves a VOD of a channel that was added at `addedAtMs` out; null if it takes it. */
export type Judge = (vod: JudgedVod, addedAtMs: number, nowMs: number) => LeftOutReason | null;

/**
 * Prepares a rule to judge many VODs. The first reason in the order of the rule's fields counts. The
 * same input has the same answer, whoever asks: a preview, the list of VODs or a change of the rule.
 *
 * A broadcast that grows is as long as the time since its start: the source states its length late. It
 * is taken once it is long enough (judge.ts). How far back the rule reaches is measured at a
 * broadcast's end, so that one that was live when the channel was added counts as new during the
 * broadcast and after it. What the retention leaves out depends on other VODs (judge.ts).
 */
export function judgeBy(rule: Rule): Judge {
  const kinds = new Set<string>(rule.kinds);
  const included = rule.titleIncludes.map(folded);
  const excluded = rule.titleExcludes.map(folded);
  const hasWords = included.length + excluded.length > 0;

  return (vod, addedAtMs, nowMs) => {
    const { kind, recordedAtMs, isGrowing } = vod;
    const durationSec = isGrowing
      ? Math.max(vod.durationSec ?? 0, (nowMs - recordedAtMs) / 1_000)
      : vod.durationSec;
    if (!kinds.has(kind)) return "kind";
    if (durationSec !== null && durationSec < (rule.minDurationSec ?? 0)) return "too_short";
    const title = hasWords ? folded(vod.title) : "";
    const isInTitle = (word: string) => hasWord(title, word);
    if (included.length > 0 && !included.some(isInTitle)) return "title_lacks_words";
    if (excluded.some(isInTitle)) return "title_has_words";
    if (rule.backDays === null || isGrowing) return null;
    const endedAtMs = recordedAtMs + (durationSec ?? 0) * 1_000;
    return endedAtMs < addedAtMs - rule.backDays * DAY_MS ? "too_old" : null;
  };
}

/** Their words need no spaces between them. */
const UNSPACED = ["Han", "Hira", "Kana", "Hang", "Thai", "Laoo", "Khmr", "Mymr"]
  .map((script) => `\\p{scx=${script}}`)
  .join("");
const LETTER = `[[\\p{L}\\p{M}\\p{N}]--[${UNSPACED}]]`;

/** Two letters or digits around a line break. */
const INSIDE_A_WORD = new RegExp(`${LETTER}\\n${LETTER}`, "v");

function isBorder(before: string, after: string): boolean {
  // A letter has at most two code units.
  return !INSIDE_A_WORD.test(`${before.slice(-2)}\n${after.slice(0, 2)}`);
}

/** Whether a text has a word, or several, that does not begin or end within another word. */
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const end = at + word.length;
    if (isBorder(text.slice(0, at), word) && isBorder(word, text.slice(end))) return true;
  }
  return false;
}

/** Upper and lower case are equal, and so are composed and decomposed letters. */
function folded(text: string): string {
  return normalized(text, "NFC").toLowerCase();
}
