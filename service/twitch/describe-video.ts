import type { TimeRange } from "#contract/upload.ts";
import type { HelixVideo } from "./helix-shapes.ts";
import type { TwitchVideo } from "./twitch-client.ts";

/** Converts a Helix video; Helix does not say whether the VOD is still recording. */
export function describeVideo(video: HelixVideo, isRecording: boolean): TwitchVideo {
  return {
    id: video.id,
    ownerId: video.user_id,
    ownerLogin: video.user_login,
    ownerDisplayName: video.user_name === "" ? video.user_login : video.user_name,
    title: video.title,
    createdAt: new Date(video.created_at),
    durationSec: parseGoDuration(video.duration),
    thumbnailUrl: readThumbnail(video.thumbnail_url),
    isRecording,
    mutedRanges: mergeRanges(
      (video.muted_segments ?? []).map(({ offset, duration }) => ({
        startSec: offset,
        endSec: offset + duration,
      })),
    ),
  };
}

/** `3h21m9s` in seconds. */
export function parseGoDuration(text: string): number {
  const match = /^(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?$/.exec(text);
  const [hours = 0, minutes = 0, seconds = 0] = (match ?? [])
    .slice(1)
    .map((part) => Number(part ?? 0));
  return hours * 3_600 + minutes * 60 + seconds;
}

/** Null while Twitch only has its "processing" placeholder (docs/twitch.md#helix). */
function readThumbnail(template: string): string | null {
  if (template === "" || template.includes("/_404/")) return null;
  const address = template.replace(/%?\{width\}/, "640").replace(/%?\{height\}/, "360");
  return /^https?:\/\//.test(address) && URL.canParse(address) ? address : null;
}

/** Sorts the ranges and merges overlapping and touching ones. */
function mergeRanges(ranges: readonly TimeRange[]): readonly TimeRange[] {
  const merged: TimeRange[] = [];
  for (const range of ranges.toSorted((one, other) => one.startSec - other.startSec)) {
    const last = merged.at(-1);
    if (last !== undefined && range.startSec <= last.endSec)
      merged[merged.length - 1] = {
        startSec: last.startSec,
        endSec: Math.max(last.endSec, range.endSec),
      };
    else merged.push(range);
  }
  return merged;
}
