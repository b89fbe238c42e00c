/**
 * Whether a broadcast has ended and its playlist is whole.
 *
 * States of a plan, which are recomputed at every look:
 * - `live`: fewer than two witnesses say that it has ended;
 * - `tail`: it has ended, but segments may follow: the playlist does not have the stated duration,
 *   or one witness does not know of the end;
 * - `final`: everything agrees, or the playlist has not grown for {@link TAIL_MS}.
 *
 * The witnesses are the playlist, which the recorder closes with EXT-X-ENDLIST, and the interfaces of
 * the source that answer from its own records: at Twitch the web API's status of the VOD, and Helix's
 * list of live streams, which knows no VODs. Each was seen to be early, late or silent; no two of
 * them share a fault (docs/twitch.md#growing-vods).
 */
export type BroadcastState = "live" | "tail" | "final";

/** What one witness says. */
export type Broadcasting = "live" | "ended" | "unanswered";

/** The last segments were seen to appear up to some minutes after the end. */
export const TAIL_MS = 600_000;

/** A playlist and its stated duration differ by a segment at most when the playlist is whole. */
const WHOLE_WITHIN_SEC = 15;

export function judgeEnd(look: {
  readonly witnesses: readonly Broadcasting[];
  readonly playlistSec: number;
  /** Null when it is not known now. */
  readonly statedSec: number | null;
  /** Since the playlist was last seen to grow. */
  readonly silentForMs: number;
}): BroadcastState {
  if (look.witnesses.filter((each) => each === "ended").length < 2) return "live";
  // A stated duration that is too short is as outdated as a playlist that is too short.
  const isWhole =
    look.statedSec !== null && Math.abs(look.statedSec - look.playlistSec) <= WHOLE_WITHIN_SEC;
  return (isWhole && !look.witnesses.includes("live")) || look.silentForMs >= TAIL_MS
    ? "final"
    : "tail";
}
