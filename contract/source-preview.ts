import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { consentSchema, rightsConfirmationSchema } from "./consent.ts";
import { partSchema } from "./part.ts";
import { qualitySchema, withheldRenditionSchema } from "./quality.ts";
import { twitchVodIdSchema, uploadIdSchema } from "./ids.ts";
import { uploadStatusSchema } from "./upload.ts";
import { archiveSourceSchema } from "./uploads.ts";
import { instantSchema, sizeBytesSchema } from "./values.ts";

/** What one choice of quality would copy. */
const qualityOptionSchema = z.object({
  quality: qualitySchema,
  /** E.g. "720p60"; null if the source does not state its size. */
  rendition: z.nullable(z.string()),
  estimatedSizeBytes: sizeBytesSchema,
  estimatedCostUsd: z.number(),
  estimatedMonthlyStorageUsd: z.number(),
});
export type QualityOption = z.infer<typeof qualityOptionSchema>;

export const sourcePreviewSchema = z.object({
  /** Null for a direct URL. */
  vodId: z.nullable(twitchVodIdSchema),
  title: z.string(),
  /** Null for a direct URL, which belongs to the administrator who archives it. */
  owner: z.nullable(
    z.object({
      twitchId: z.string(),
      login: z.string(),
      displayName: z.string(),
      profileImageUrl: z.nullable(z.string()),
    }),
  ),
  /** Only of a direct URL. */
  sourceHost: z.optional(z.string()),
  /** Null when the source does not state it. */
  durationSec: z.nullable(z.number()),
  createdAt: instantSchema,
  thumbnailUrl: z.nullable(z.string()),
  isRecording: z.boolean(),
  /** Why the source does not let this service play it, e.g. for subscribers only. */
  restriction: z.optional(z.string()),
  /** Of the best quality. */
  estimatedSizeBytes: sizeBytesSchema,
  estimatedCostUsd: z.number(),
  estimatedMonthlyStorageUsd: z.number(),
  /** The choices that differ in what they copy, the best first; empty while the source has none. */
  qualities: z.array(qualityOptionSchema),
  /** A better rendition than the best one that this service may play. */
  withheldRendition: z.nullable(withheldRenditionSchema),
  /** Without one in force, the administrator must confirm. */
  ownerConsent: z.nullable(consentSchema),
  /** What the caller has confirmed for this channel, which is not asked for again. */
  ownConfirmation: z.nullable(rightsConfirmationSchema),
  /** The current category of the owner's channel; null when Twitch does not report it. */
  channelCategory: z.nullable(z.string()),
  /** What the disk of the store can still take; null in a bucket, which has no such limit. */
  roomBytes: z.nullable(sizeBytesSchema),
  /** The newest upload of the same VOD, or of the same part of it. */
  existingUpload: z.nullable(z.object({ id: uploadIdSchema, status: uploadStatusSchema })),
});
export type SourcePreview = z.infer<typeof sourcePreviewSchema>;

export const previewSource = defineCall({
  method: "POST",
  path: "/admin/uploads/preview",
  policy: "write:uploads",
  summary: "What archiving a VOD or a direct URL would copy, and its estimated cost",
  body: z.strictObject({ source: archiveSourceSchema, part: z.optional(partSchema) }),
  data: sourcePreviewSchema,
});
