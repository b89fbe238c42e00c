import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { twitchVodIdSchema, uploadIdSchema, userIdSchema } from "./ids.ts";
import { MAX_BULK_IDS, MAX_RIGHTS_REASON_LENGTH, MAX_SOURCE_ADDRESS_LENGTH } from "./limits.ts";
import { limitParameter, pagedListSchema, pageParameter, searchParameter } from "./paging.ts";
import { partSchema } from "./part.ts";
import { qualitySchema } from "./quality.ts";
import { dayStartParameter } from "./values.ts";
import { failureClassSchema, uploadSchema, uploadStatusSchema } from "./upload.ts";

const uploadParams = z.strictObject({ id: uploadIdSchema });

export const UPLOAD_SORTS = ["startedAt", "filename", "size", "status", "recordedAt"] as const;

export const listUploads = defineCall({
  method: "GET",
  path: "/admin/uploads",
  policy: "read:uploads",
  summary: "Uploads, newest first",
  query: z.strictObject({
    page: pageParameter,
    limit: limitParameter,
    status: z.optional(uploadStatusSchema),
    search: searchParameter,
    userId: z.optional(userIdSchema),
    sortBy: z._default(z.enum(UPLOAD_SORTS), "startedAt"),
    sortOrder: z._default(z.enum(["asc", "desc"]), "desc"),
  }),
  data: pagedListSchema(uploadSchema),
});

/** What the service is doing; the Upload Monitor and the dashboard show it above their lists. */
export const uploadWork = defineCall({
  method: "GET",
  path: "/admin/uploads/work",
  policy: "read:uploads",
  summary: "What runs and waits: counts, speed, time left, and the uploads at work",
  query: z.strictObject({ dayStart: dayStartParameter }),
  data: z.object({
    running: z.int(),
    /** Broadcasts that go on, which are stored as they come. */
    live: z.int(),
    /** Archives without a runner, and VODs that rules have still to hand over, whatever they wait for. */
    waiting: z.int(),
    /** Uploads that failed since `dayStart`. */
    failedToday: z.int(),
    /** Of all running uploads together. */
    bytesPerSecond: z.number(),
    /**
     * Until everything that runs and waits is stored, at the present speed; null without one. The
     * uploads that `unknownLengths` counts are left out.
     */
    secondsLeft: z.nullable(z.number()),
    unknownLengths: z.int(),
    /** Those that run, the first to end first, and the next that wait, by their places. */
    uploads: z.array(uploadSchema),
  }),
});

/**
 * The total is the sum of the others. Failures that a retry cannot fix do not count as retryable.
 */
export const failedSummarySchema = z.object({
  totalFailed: z.int(),
  canRetry: z.int(),
  maxRetriesReached: z.int(),
  retryCannotHelp: z.int(),
});

export const failureGroupSchema = z.object({
  failureClass: failureClassSchema,
  count: z.int(),
  canRetry: z.int(),
  /** One of them failed within the last seven days; older ones need nobody's attention any more. */
  isRecent: z.boolean(),
});

export const listFailedUploads = defineCall({
  method: "GET",
  path: "/admin/uploads/failed",
  policy: "read:uploads",
  summary: "Failed uploads, last failure first",
  query: z.strictObject({
    page: pageParameter,
    limit: limitParameter,
    search: searchParameter,
    failureClass: z.optional(failureClassSchema),
  }),
  data: z.extend(pagedListSchema(uploadSchema), {
    summary: failedSummarySchema,
    /** All failed uploads by cause, regardless of the search. */
    groups: z.array(failureGroupSchema),
  }),
});

/** A snapshot of the ids of every matching upload: the scope of "select all N matching". */
export const matchingUploadIds = defineCall({
  method: "GET",
  path: "/admin/uploads/failed/ids",
  policy: "read:uploads",
  summary: "The ids of all failed uploads that match a search",
  query: z.strictObject({
    search: searchParameter,
    failureClass: z.optional(failureClassSchema),
  }),
  data: z.object({
    items: z.array(z.object({ id: uploadIdSchema, canRetry: z.boolean(), hasFile: z.boolean() })),
    total: z.int(),
    totalIsCapped: z.boolean(),
  }),
});

export const getUpload = defineCall({
  method: "GET",
  path: "/admin/uploads/{id}",
  policy: "read:uploads",
  summary:
    "One upload; its id may be shortened to eight characters or more that no other id begins with",
  params: uploadParams,
  data: uploadSchema,
});

/**
 * A VOD by its id, or by a Twitch URL, from which the service extracts the id; or a video by its
 * own address, on a host that the service's SOURCE_HOSTS lists.
 */
export const archiveSourceSchema = z.union([
  z.strictObject({ type: z.literal("twitch"), vodId: twitchVodIdSchema }),
  z.strictObject({
    type: z.literal("twitch"),
    url: z.string().check(z.minLength(1), z.maxLength(500)),
  }),
  z.strictObject({
    type: z.literal("url"),
    url: z.string().check(z.minLength(1), z.maxLength(MAX_SOURCE_ADDRESS_LENGTH)),
  }),
]);
export type ArchiveSource = z.infer<typeof archiveSourceSchema>;

export const startUpload = defineCall({
  method: "POST",
  path: "/admin/uploads",
  policy: "write:uploads",
  summary: "Archive a VOD or a direct URL. The same one twice is a conflict unless `again` is true",
  body: z.strictObject({
    source: archiveSourceSchema,
    rightsConfirmed: z.boolean(),
    /** Remembers the confirmation: the channel's next archives by this administrator need none. */
    rememberRights: z.optional(
      z.strictObject({ reason: z.string().check(z.maxLength(MAX_RIGHTS_REASON_LENGTH)) }),
    ),
    again: z.optional(z.boolean()),
    /** The best picture if absent. */
    quality: z.optional(qualitySchema),
    /** All of it if absent. Only a VOD has parts; one is another upload beside that of the VOD. */
    part: z.optional(partSchema),
  }),
  data: uploadSchema,
  successStatus: 201,
});

export const retryUpload = defineCall({
  method: "POST",
  path: "/admin/uploads/{id}/retry",
  policy: "write:uploads",
  summary: "Queue a failed upload again; it resumes from its checkpoint",
  params: uploadParams,
  data: uploadSchema,
});

export const readChatAgain = defineCall({
  method: "POST",
  path: "/admin/uploads/{id}/chat",
  policy: "write:uploads",
  summary: "Read a VOD's chat replay from its start, if not all of it is stored",
  params: uploadParams,
  data: uploadSchema,
});

export const cancelUpload = defineCall({
  method: "POST",
  path: "/admin/uploads/{id}/cancel",
  policy: "write:uploads",
  summary: "Cancel a pending or processing upload permanently and discard its parts",
  params: uploadParams,
  data: uploadSchema,
});

export const deleteUpload = defineCall({
  method: "DELETE",
  path: "/admin/uploads/{id}",
  policy: "delete:uploads",
  summary:
    "Remove the record and unfinished parts; a finished or partial file stays as orphaned, or goes too",
  needsRecentSignIn: true,
  params: uploadParams,
  query: z.strictObject({
    /**
     * Deletes only if the status is still this one: an upload selected as failed may be running
     * again.
     */
    ifStatus: z.optional(uploadStatusSchema),
    /** `delete` also removes the stored file; if absent, the file stays. */
    file: z.optional(z.literal("delete")),
  }),
  data: z.object({ id: uploadIdSchema }),
});

export const bulkRetry = defineCall({
  method: "POST",
  path: "/admin/uploads/bulk-retry",
  policy: "write:uploads",
  summary: "Retry several failed uploads; each is checked on its own",
  body: z.strictObject({
    ids: z.array(uploadIdSchema).check(z.minLength(1), z.maxLength(MAX_BULK_IDS)),
  }),
  data: z.object({
    success: z.int(),
    failed: z.int(),
    results: z.array(
      z.object({ id: uploadIdSchema, ok: z.boolean(), error: z.optional(z.string()) }),
    ),
  }),
});
