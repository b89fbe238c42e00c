import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { leftOutReasonSchema, ruleSchema, vodKindSchema } from "./channel-rules.ts";
import { objectKeySchema, sourceChangeSchema } from "./files.ts";
import { twitchUserIdSchema, twitchVodIdSchema, uploadIdSchema } from "./ids.ts";
import { MAX_BULK_IDS } from "./limits.ts";
import { limitParameter, pagedListSchema, pageParameter, searchParameter } from "./paging.ts";
import { percentageSchema } from "./values.ts";
import { instantSchema, sizeBytesSchema, usdSchema } from "./values.ts";

const count = z.int().check(z.nonnegative());

/**
 * A VOD beside the archive.
 * - `stored`: a completed upload has its file.
 * - `copying`, `queued`: an upload runs or waits. `failed`: the newest upload failed.
 * - `wanted`: the rule or a person takes it, but no upload is under way yet, or the one that was may not
 *   go on or is tried again later; `waitsFor` says why.
 * - `left_out`: `reason` says why; `by_hand` also after its upload was cancelled or its file deleted.
 * - `gone`: the source deleted it, and nobody wanted it. `lost`: somebody did.
 */
export const VOD_STATES = [
  "stored",
  "copying",
  "queued",
  "failed",
  "wanted",
  "left_out",
  "gone",
  "lost",
] as const;
export const vodStateSchema = z.enum(VOD_STATES);
export type VodState = z.infer<typeof vodStateSchema>;

export const vodSchema = z.object({
  id: twitchVodIdSchema,
  kind: vodKindSchema,
  title: z.string(),
  durationSec: z.nullable(z.number()),
  recordedAt: instantSchema,
  isGrowing: z.boolean(),
  /** An estimate until it is stored. */
  sizeBytes: sizeBytesSchema,
  state: vodStateSchema,
  reason: z.nullable(leftOutReasonSchema),
  /** As a sentence. */
  waitsFor: z.nullable(z.string()),
  /** From when the source may delete it; null if it is stored or that is not known. */
  dangerAt: z.nullable(instantSchema),
  sourceChange: z.nullable(sourceChangeSchema),
  upload: z.nullable(z.object({ id: uploadIdSchema, progress: percentageSchema })),
  fileKey: z.nullable(objectKeySchema),
});
export type Vod = z.infer<typeof vodSchema>;

const amountSchema = z.object({
  vods: count,
  durationSec: z.number(),
  sizeBytes: sizeBytesSchema,
  /** The size rests on the usual bit rate of the quality, as nothing of some channel is stored yet. */
  isRough: z.boolean(),
  /** Of storage; copying is free or counted in `copyUsd`. */
  usdPerMonth: usdSchema,
  copyUsd: usdSchema,
});

const channelParams = z.strictObject({ id: twitchUserIdSchema });

export const listVods = defineCall({
  method: "GET",
  path: "/admin/channels/{id}/vods",
  policy: "read:uploads",
  summary: "A channel's VODs at the source beside the archive",
  params: channelParams,
  query: z.strictObject({
    page: pageParameter,
    limit: limitParameter,
    search: searchParameter,
    state: z.optional(vodStateSchema),
    sortBy: z._default(z.enum(["recordedAt", "dangerAt", "duration"]), "recordedAt"),
    sortOrder: z._default(z.enum(["asc", "desc"]), "desc"),
  }),
  data: z.extend(pagedListSchema(vodSchema), {
    /** Those at the source without an upload or a file: what "archive all" would take. */
    notArchived: amountSchema,
    /** Those that it leaves out, because the rule's retention would remove them at once. */
    removedAtOnce: count,
  }),
});

export const previewRule = defineCall({
  method: "POST",
  path: "/admin/channels/rule-preview",
  policy: "read:uploads",
  summary: "What a rule would take of the VODs seen at the source, and what not and why",
  body: z.strictObject({
    rule: ruleSchema,
    /** All channels without changes of their own if absent. */
    channelId: z.optional(twitchUserIdSchema),
  }),
  data: z.object({
    /** Without those that are stored already. */
    taken: amountSchema,
    /** Those of them that wait for their owner's consent or a confirmation. */
    withoutBasis: count,
    leftOut: z.array(z.object({ reason: leftOutReasonSchema, vods: count })),
    /** The newest first, at most 200. */
    vods: z.array(
      z.object({
        id: twitchVodIdSchema,
        channelId: twitchUserIdSchema,
        channel: z.string(),
        title: z.string(),
        kind: vodKindSchema,
        durationSec: z.nullable(z.number()),
        recordedAt: instantSchema,
        sizeBytes: sizeBytesSchema,
        isStored: z.boolean(),
        /** Null: it is taken. */
        reason: z.nullable(leftOutReasonSchema),
      }),
    ),
    /** False while the channel's list was never read: more may follow. */
    isListed: z.boolean(),
  }),
});

export const decideVods = defineCall({
  method: "POST",
  path: "/admin/channels/{id}/decisions",
  policy: "write:uploads",
  summary:
    "Archive VODs whatever the rule says, or leave them out; those with an upload stay. Safe to repeat",
  params: channelParams,
  body: z.strictObject({
    /** Absent: all that are not archived; "take" then leaves out what the retention would remove at once. */
    vodIds: z.optional(z.array(twitchVodIdSchema).check(z.minLength(1), z.maxLength(MAX_BULK_IDS))),
    decision: z.enum(["take", "leave"]),
  }),
  data: z.object({ changed: count }),
});
