import { visibleText } from "#console/lib/visible-text.ts";
import { formatTime } from "../watch-time.ts";

/** A span of a video, in seconds from its start. */
export type Clip = { readonly fromSec: number; readonly toSec: number };

const DEFAULT_LENGTH_SEC = 30;

/** The first proposal: what follows the time that is shown. */
export function clipFrom(nowSec: number, durationSec: number): Clip {
  const toSec = Math.min(durationSec, nowSec + DEFAULT_LENGTH_SEC);
  return { fromSec: Math.max(0, Math.min(nowSec, toSec - 1)), toSec };
}

/** The clip with one end moved; without one, it extends from that end. */
export function clipBetween(clip: Clip | null, end: Partial<Clip>): Clip {
  const { fromSec = 0, toSec = fromSec + DEFAULT_LENGTH_SEC } = end;
  const proposed = { fromSec: end.fromSec ?? Math.max(0, toSec - DEFAULT_LENGTH_SEC), toSec };
  return { ...(clip ?? proposed), ...end };
}

/** Why the span can't be saved, or undefined. */
export function problemOf({ fromSec, toSec }: Clip, durationSec: number): string | undefined {
  if (fromSec >= durationSec) return "The start is after the end of the video.";
  return toSec <= fromSec ? "The end must be after the start." : undefined;
}

/** Names of MP4 files are cut at 60 characters; the time must not be. */
const MAX_NAME_LENGTH = 60;

/** The channel, the title and the time where the clip starts. */
export function clipNameOf(channel: string | undefined, title: string, { fromSec }: Clip): string {
  const start = channel === undefined ? "" : `${visibleText(channel)} - `;
  const end = ` - ${formatTime(fromSec)}`;
  const room = Math.max(0, MAX_NAME_LENGTH - start.length - end.length);
  const [short = ""] = new RegExp(`^.{0,${room}}`, "u").exec(visibleText(title)) ?? [];
  return start + short.trimEnd() + end;
}
