import * as z from "zod/mini";

export const MAX_SHORT_SECONDS = 100;

/**
 * How far the chat replay of an upload is stored:
 * - `reading`: it is read, or its source is asked again later;
 * - `complete`: all of it is stored;
 * - `partial`: what the source handed out is stored; it no longer has the rest, or does not hand out
 *   all of `shortSeconds`;
 * - `gone`: the source no longer has it, and none of it is stored;
 * - `none`: nobody reads it: the item has no chat, or the upload or its file was given up.
 */
export const chatStateSchema = z.object({
  state: z.enum(["reading", "complete", "partial", "gone", "none"]),
  /** Time of the last message that is read or stored, in seconds from the start of the video. */
  untilSec: z.nullable(z.number()),
  /** Seconds of the video of which messages are missing: the first {@link MAX_SHORT_SECONDS}. */
  shortSeconds: z.array(z.number()),
});
export type ChatState = z.infer<typeof chatStateSchema>;
