import type { Quality, WithheldRendition } from "#contract/quality.ts";
import { shortfallText } from "#contract/shortfall.ts";
import type { Upload } from "#contract/upload.ts";
import { visibleText } from "#console/lib/visible-text.ts";

const REASONS: Readonly<Record<WithheldRendition["reason"], string>> = {
  sign_in: " without a sign-in",
  region: " in this region",
  unstated: "",
};

/** E.g. "Twitch withholds 1440p60 without a sign-in". */
export function withheldText({ label, reason }: WithheldRendition): string {
  return `Twitch withholds ${visibleText(label)}${REASONS[reason]}`;
}

/** E.g. "Twitch states 5:00; its playlist has 3:20"; null if nothing is known to be missing. */
export function shortfallOf({
  statedDurationSec,
  durationSec,
}: Pick<Upload["metadata"], "statedDurationSec" | "durationSec">): string | null {
  return statedDurationSec === null || durationSec === null
    ? null
    : shortfallText({ statedDurationSec, durationSec });
}

/** E.g. "720p60; Twitch withholds 1440p60 without a sign-in"; empty while nothing is known. */
export function renditionText({
  rendition,
  withheldRendition,
}: Pick<Upload["metadata"], "rendition" | "withheldRendition">): string {
  const known = rendition === null ? "" : visibleText(rendition);
  if (withheldRendition === null) return known;
  return [known, withheldText(withheldRendition)].filter(Boolean).join("; ");
}

export const QUALITY_LABELS: Readonly<Record<Quality, string>> = {
  best: "Best",
  "1080p": "At most 1080p",
  "720p": "At most 720p",
  "480p": "At most 480p",
  audio: "Audio only",
};

/** What was chosen and what that gave, e.g. "At most 720p: 720p60". */
export function qualityText({ quality, metadata }: Pick<Upload, "quality" | "metadata">): string {
  const copied = renditionText(metadata);
  if (quality === "best" && copied !== "") return copied;
  return copied === "" || quality === "audio"
    ? QUALITY_LABELS[quality]
    : `${QUALITY_LABELS[quality]}: ${copied}`;
}
