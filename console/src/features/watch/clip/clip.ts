import type { TimeRange } from "#contract/upload.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { formatTime } from "../watch-time.ts";

const DEFAULT_LENGTH_SEC = 30;

/** The clip with one end moved; without one, what extends from that end within the video. */
export function clipBetween(
  clip: TimeRange | null,
  end: Partial<TimeRange>,
  durationSec: number,
): TimeRange {
  if (clip !== null) return { ...clip, ...end };
  const { endSec = Math.min(durationSec, (end.startSec ?? 0) + DEFAULT_LENGTH_SEC) } = end;
  const { startSec = endSec - DEFAULT_LENGTH_SEC } = end;
  return { startSec: Math.max(0, Math.min(startSec, endSec - 1)), endSec };
}

/** Why the clip can't be saved, or undefined. */
export function problemOf({ startSec, endSec }: TimeRange, durationSec: number) {
  if (startSec >= durationSec) return "The start is after the end of the video.";
  return endSec <= startSec ? "The end must be after the start." : undefined;
}

/** Names of MP4 files are cut at 60 characters; the time must not be. */
const MAX_NAME_LENGTH = 60;

/** The channel, the title and the time where the clip starts. */
export function clipNameOf(channel: string | undefined, title: string, startSec: number): string {
  const start = channel === undefined ? "" : `${visibleText(channel)} - `;
  const end = ` - ${formatTime(startSec)}`;
  const room = Math.max(0, MAX_NAME_LENGTH - start.length - end.length);
  const [short = ""] = new RegExp(`^.{0,${room}}`, "u").exec(visibleText(title)) ?? [];
  return start + short.trimEnd() + end;
}
