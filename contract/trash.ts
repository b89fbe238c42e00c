import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { retentionSchema } from "./channel-rules.ts";
import { objectKeySchema } from "./files.ts";
import { twitchUserIdSchema } from "./ids.ts";
import { MAX_BULK_IDS } from "./limits.ts";
import { instantSchema, sizeBytesSchema, usdSchema } from "./values.ts";

const count = z.int().check(z.nonnegative());

/** Why retention keeps a file that its rule would remove. */
export const KEPT_REASONS = [
  "locked",
  "by_hand",
  "unproved",
  "disputed",
  "no_right",
  "paused",
] as const;
export const keptReasonSchema = z.enum(KEPT_REASONS);

export const simulateRetention = defineCall({
  method: "POST",
  path: "/admin/trash/simulate",
  policy: "read:uploads",
  summary: "Which files a retention would move to the trash now",
  body: z.strictObject({
    retention: retentionSchema,
    /** All channels without a retention of their own if absent. */
    channelId: z.optional(twitchUserIdSchema),
  }),
  data: z.object({
    files: count,
    sizeBytes: sizeBytesSchema,
    /** What their storage costs. */
    usdPerMonth: usdSchema,
    /** Of these files, those that the source has no more. */
    lastCopies: count,
    /** Oldest broadcast first, at most MAX_SIMULATED_FILES. */
    removed: z.array(
      z.object({
        key: objectKeySchema,
        title: z.nullable(z.string()),
        channel: z.nullable(z.string()),
        sizeBytes: sizeBytesSchema,
        recordedAt: z.nullable(instantSchema),
        isLastCopy: z.boolean(),
      }),
    ),
    kept: z.array(z.object({ reason: keptReasonSchema, files: count })),
    /**
     * Names exactly the files that go, now or when a pause ends or the store was read; a change of
     * retention that removes files states it.
     */
    digest: z.string(),
  }),
});

/**
 * What may go to make room, safest first; a file is in the first one that fits.
 *
 * - `orphaned`: no record owns it.
 * - `partial`: a part of a video of which another file is whole.
 * - `at_source`: the source still has all of it.
 * - `unwatched`: the largest that nobody has watched or downloaded, as far back as the audit log goes.
 */
export const ROOM_GROUPS = ["orphaned", "partial", "at_source", "unwatched"] as const;
export const roomGroupSchema = z.object({
  group: z.enum(ROOM_GROUPS),
  files: count,
  sizeBytes: sizeBytesSchema,
  /** The largest of them first, at most MAX_SIMULATED_FILES. */
  largest: z.array(
    z.object({
      key: objectKeySchema,
      name: z.string(),
      channel: z.nullable(z.string()),
      sizeBytes: sizeBytesSchema,
    }),
  ),
});
export type RoomGroup = z.infer<typeof roomGroupSchema>;

export const findRoom = defineCall({
  method: "GET",
  path: "/admin/trash/room",
  policy: "read:uploads",
  summary: "Files that may go to the trash to make room, in groups, safest first",
  data: z.object({
    /** Room on the disk, above its reserve; null for a bucket. */
    freeBytes: z.nullable(sizeBytesSchema),
    groups: z.array(roomGroupSchema),
  }),
});

export const trashFiles = defineCall({
  method: "POST",
  path: "/admin/trash",
  policy: "delete:uploads",
  summary: "Move files to the trash for 14 days; locked ones and those of running uploads stay",
  body: z.strictObject({
    keys: z.array(objectKeySchema).check(z.minLength(1), z.maxLength(MAX_BULK_IDS)),
  }),
  data: z.object({ trashed: z.array(objectKeySchema) }),
});

export const restoreFiles = defineCall({
  method: "POST",
  path: "/admin/trash/restore",
  policy: "write:uploads",
  summary: "Take files out of the trash, and lock those that a rule put there",
  body: z.strictObject({
    keys: z.array(objectKeySchema).check(z.minLength(1), z.maxLength(MAX_BULK_IDS)),
  }),
  data: z.object({ restored: count }),
});

export const emptyTrash = defineCall({
  method: "POST",
  path: "/admin/trash/empty",
  policy: "delete:uploads",
  summary: "Delete the oldest files of the trash at once, to make room",
  needsRecentSignIn: true,
  data: z.object({ deleted: count, freed: sizeBytesSchema, left: count }),
});

export const lockFile = defineCall({
  method: "PUT",
  path: "/admin/r2/lock/{key+}",
  policy: "write:uploads",
  summary:
    "Keep a file from every retention, or take that back, with delete:uploads if a rule of its channel removes files",
  params: z.strictObject({ key: objectKeySchema }),
  body: z.strictObject({ locked: z.boolean() }),
  data: z.object({ lockedAt: z.nullable(instantSchema) }),
});
