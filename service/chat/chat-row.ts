import { objectKeySchema, type ObjectKey } from "#contract/files.ts";
import { uploadIdSchema } from "#contract/ids.ts";
import type { Job } from "#service/jobs/jobs.ts";
import { CHAT_PIECE_PREFIX } from "#service/storage/object-keys.ts";
import { jsonText } from "#service/db/json-text.ts";
import * as z from "zod/mini";

/**
 * The chat replay of an upload is a task of its own. It is read beside the video and after it, so
 * that no fault of the chat delays the video, and none of the video loses the chat.
 *
 * States (`chats.state`):
 * - `reading`: its job takes a place when it is due, and reads for one slice
 *   (chat-slice.ts). Each page is kept with the time of its last comment; the next slice continues
 *   there (chat-pieces.ts).
 * - `complete`, `partial`, `gone`: the end. The pieces are joined to one object and removed.
 * - `none`: nobody reads it.
 *
 * | From               | By                                                           | To         |
 * | ------------------ | ------------------------------------------------------------ | ---------- |
 * | -                  | an upload of a source with a chat begins                     | `reading`  |
 * | `reading`          | a slice that began after the video's end reaches the last page | `complete` |
 * | `reading`          | the same, but the source did not hand out all of some seconds | `partial`  |
 * | such a `partial`   | three times: after 1, 4 and 16 days                          | `reading`  |
 * | `reading`          | it reaches the last page of a growing video: again in a minute | `reading`  |
 * | `reading`          | a fault of the source or the store: again in 1 min to 6 h    | `reading`  |
 * | `reading`          | "no such video" four times in a row, with comments read      | `partial`  |
 * | `reading`          | the same, without                                            | `gone`     |
 * | not `complete`     | an administrator asks for the chat again, or retries         | `reading`  |
 * | any                | the upload is cancelled, or its file deleted                 | `none`     |
 */
export const chatRow = z.object({
  upload_id: uploadIdSchema,
  has_ended: z.number(),
  pieces: z.number(),
  read_until_sec: z.nullable(z.number()),
  short_seconds: jsonText(z.array(z.number())),
  stored_until_sec: z.nullable(z.number()),
  stored_short_seconds: jsonText(z.array(z.number())),
  reread: z.number(),
  gone_answers: z.number(),
  tail: z.string(),
});
export type ChatRow = z.infer<typeof chatRow>;

/** Each lease has keys of its own, so that a runner that lost it overwrites no recorded piece. */
export function chatPieceKey({ key, epoch }: Job, number: number, sha256: string): ObjectKey {
  return objectKeySchema.parse(`${CHAT_PIECE_PREFIX}${key}/${number}-${sha256}-${epoch}`);
}

/** Prolongs the lease while a chat is written to the store. */
export const RENEW_EVERY_MS = 20_000;
