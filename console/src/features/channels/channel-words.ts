import type { Channel } from "#contract/channels.ts";
import type { Rule, VodKind } from "#contract/channel-rules.ts";
import { formatBytes } from "#contract/format-bytes.ts";
import { formatCount, formatDay, formatDuration, formatPlural } from "#console/lib/format.ts";
import { visibleText } from "#console/lib/visible-text.ts";

const KINDS: Readonly<Record<VodKind, string>> = {
  archive: "past broadcasts",
  highlight: "highlights",
  upload: "uploads",
};

const PICTURES: Readonly<Record<Rule["quality"], string>> = {
  best: "best picture",
  "1080p": "at most 1080p",
  "720p": "at most 720p",
  "480p": "at most 480p",
  audio: "sound only",
};

function keepingOf({ retention }: Rule): string {
  switch (retention.keep) {
    case "all":
      return "all kept";
    case "days":
      return `kept for ${formatPlural(retention.days, "day")}`;
    case "count":
      return `newest ${retention.count} kept`;
    default:
      return `newest ${formatBytes(retention.sizeBytes)} kept`;
  }
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `“${visibleText(word)}”`).join(" or ");
}

/** E.g. "30m". */
function lengthText(sec: number): string {
  return formatDuration(sec).replace(/ 0\w$/, "");
}

/** E.g. "Past broadcasts, best picture, kept for 30 days"; names what differs from the usual. */
export function ruleText(rule: Rule): string {
  const { minDurationSec: min, titleIncludes, titleExcludes } = rule;
  const words = [
    rule.kinds.map((kind) => KINDS[kind]).join(" and "),
    min !== null && `from ${lengthText(min)}`,
    titleIncludes.length > 0 && `with ${quoted(titleIncludes)}`,
    titleExcludes.length > 0 && `without ${quoted(titleExcludes)}`,
    PICTURES[rule.quality],
    !rule.chat && "no chat",
    keepingOf(rule),
  ];
  const text = words.filter((word) => word !== false).join(", ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** "may be deleted from 2 December", in the browser's locale; sources may keep a VOD for longer. */
export function dangerText(dangerAt: string, nowMs: number): string {
  return `may be deleted from ${formatDay(new Date(dangerAt), nowMs)}`;
}

/** As the service counts VODs that are in danger. */
const DANGER_WITHIN_MS = 3 * 86_400_000;

export function isInDanger(dangerAt: string, nowMs: number): boolean {
  return Date.parse(dangerAt) - nowMs <= DANGER_WITHIN_MS;
}

/** What may be deleted first: of the wanted VODs, else of those that the rule leaves out. */
export function dangerOf(
  { dangerAt, leftOutDangerAt, vods }: Pick<Channel, "dangerAt" | "leftOutDangerAt" | "vods">,
  nowMs: number,
): { readonly text: string; readonly isNear: boolean } | null {
  if (dangerAt !== null)
    return { text: dangerText(dangerAt, nowMs), isNear: isInDanger(dangerAt, nowMs) };
  if (leftOutDangerAt === null) return null;
  const count = vods.leftOut === 1 ? "1 is" : `${formatCount(vods.leftOut)} are`;
  return {
    text: `${count} not archived; the first ${dangerText(leftOutDangerAt, nowMs)}`,
    isNear: isInDanger(leftOutDangerAt, nowMs),
  };
}
