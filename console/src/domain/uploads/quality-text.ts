import type { Quality } from "#contract/quality.ts";
import type { Upload } from "#contract/upload.ts";
import { renditionText } from "./rendition-text.ts";

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
