import type { SourceItem } from "#service/source/source.ts";
import type { HelixVideo } from "./helix-shapes.ts";

/** Converts a Helix video; Helix does not say whether the VOD is still recording. */
export function describeVideo(video: HelixVideo, isRecording: boolean): SourceItem {
  return {
    id: video.id,
    owner: {
      id: video.user_id,
      login: video.user_login,
      displayName: video.user_name === "" ? video.user_login : video.user_name,
      profileImageUrl: null,
    },
    title: video.title.trim() === "" ? "Untitled broadcast" : video.title,
    fileStem: `${video.user_login}-${video.id}`,
    createdAt: new Date(video.created_at),
    durationSec: parseGoDuration(video.duration),
    thumbnailUrl: readThumbnail(video.thumbnail_url ?? ""),
    isRecording,
    broadcastId: video.stream_id ?? null,
  };
}

/** `3h21m9s` in seconds; null if it is not known. */
export function parseGoDuration(text: string | null | undefined): number | null {
  if (text === null || text === undefined) return null;
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
