import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { uploadIdSchema } from "./ids.ts";
import { MAX_SENT_THUMBNAIL_BYTES } from "./limits.ts";

const uploadParams = z.strictObject({ id: uploadIdSchema });

/** The only types of pictures that are stored and served, recognised by their first bytes. */
export const PICTURE_TYPES = ["image/jpeg", "image/png", "image/webp"] as const;
export type PictureType = (typeof PICTURE_TYPES)[number];

/** May be cached by the browser. Ask only for uploads with `hasThumbnail`. */
export const getThumbnail = defineCall({
  method: "GET",
  path: "/admin/uploads/{id}/thumbnail",
  policy: "read:uploads",
  summary: "The picture of an upload",
  params: uploadParams,
  media: PICTURE_TYPES,
  data: z.string(),
});

/** RFC 4648 section 4, with padding. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{4}|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{2}==)$/;

/** A manual upload's picture is made in the sender's browser. */
export const sendThumbnail = defineCall({
  method: "PUT",
  path: "/admin/uploads/{id}/thumbnail",
  policy: "write:uploads",
  summary: "Store the picture of my manual upload that has none",
  params: uploadParams,
  body: z.strictObject({
    /** A JPEG, PNG or WebP picture in base64. */
    picture: z
      .string()
      .check(
        z.regex(BASE64, "is not base64"),
        z.maxLength(4 * Math.ceil(MAX_SENT_THUMBNAIL_BYTES / 3)),
      ),
  }),
  data: z.object({ id: uploadIdSchema }),
});

/**
 * Small frames of a video at equal intervals, drawn row by row on sheets. Frame `n` shows second
 * `n * intervalSec`, counted from the start of the VOD; it is cell `n % (columns * rows)` of sheet `floor(n / (columns * rows))`.
 */
export const storyboardSchema = z.object({
  intervalSec: z.number().check(z.positive()),
  frames: z.int().check(z.positive()),
  /** Size of a frame in pixels. */
  frameWidth: z.int().check(z.positive()),
  frameHeight: z.int().check(z.positive()),
  columns: z.int().check(z.positive()),
  rows: z.int().check(z.positive()),
  /** `data:` URLs of the sheets' pictures. */
  sheets: z.array(z.string()).check(z.minLength(1)),
  /** Second of the VOD at which the video begins; absent for a whole VOD. */
  beginsAtSec: z.optional(z.number()),
});
export type Storyboard = z.infer<typeof storyboardSchema>;

/** Up to a few megabytes; may be cached by the browser. Ask only for uploads with `hasStoryboard`. */
export const getStoryboard = defineCall({
  method: "GET",
  path: "/admin/uploads/{id}/storyboard",
  policy: "read:uploads",
  summary: "Small frames of an upload's video, to show while seeking",
  params: uploadParams,
  data: storyboardSchema,
});
