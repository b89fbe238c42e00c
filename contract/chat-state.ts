import * as z from "zod/mini";

/**
 * How far the chat replay of an upload is stored:
 * - `reading`: it is read, or its source is asked again later;
 * - `complete`: all of it is stored;
 * - `partial`: the source no longer has it, and what had been read until then is stored;
 * - `gone`: the source no longer has it, and none of it is stored;
 * - `none`: nobody reads it: the item has no chat, or the upload or its file was given up.
 */
export const chatStateSchema = z.object({
  state: z.enum(["reading", "complete", "partial", "gone", "none"]),
  /** Time of the last message that is read or stored, in seconds from the start of the video. */
  untilSec: z.nullable(z.number()),
});
export type ChatState = z.infer<typeof chatStateSchema>;
