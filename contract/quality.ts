import * as z from "zod/mini";

/**
 * What an administrator chooses to archive: the best picture, the best of at most that height, or
 * the sound alone.
 */
export const QUALITIES = ["best", "1080p", "720p", "480p", "audio"] as const;
export const qualitySchema = z.enum(QUALITIES);
export type Quality = z.infer<typeof qualitySchema>;

/** A better rendition than the chosen one that the source does not let this service play. */
export const withheldRenditionSchema = z.object({
  /** E.g. "1440p60". */
  label: z.string(),
  reason: z.enum(["sign_in", "region", "unstated"]),
});
export type WithheldRendition = z.infer<typeof withheldRenditionSchema>;
