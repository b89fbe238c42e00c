import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { chatStateSchema } from "./chat-state.ts";
import { uploadIdSchema, userIdSchema } from "./ids.ts";
import { DEFAULT_BROWSE_PAGE_SIZE, MAX_BROWSE_PAGE_SIZE, MAX_BULK_FILES } from "./limits.ts";
import { partSchema } from "./part.ts";
import { pageParameter, searchParameter } from "./paging.ts";
import { booleanParameter, instantSchema, integerParameter, sizeBytesSchema } from "./values.ts";

/** The service builds keys from ids; none has an empty, `.` or `..` segment. */
export const objectKeySchema = z
  .string()
  .check(
    z.regex(/^[A-Za-z0-9/_.-]{1,512}$/, "is not a valid key"),
    z.refine(
      (key) =>
        key.split("/").every((segment) => segment !== "" && segment !== "." && segment !== ".."),
      "is not a valid key",
    ),
  )
  .brand<"ObjectKey">();
export type ObjectKey = z.infer<typeof objectKeySchema>;

export const uploadTypeSchema = z.enum(["twitch", "manual", "chunk", "url"]);
export type UploadType = z.infer<typeof uploadTypeSchema>;

/** `complete`: a completed upload's object. `partial`: unfinished. `orphaned`: without a record. */
export const fileStatusSchema = z.enum(["complete", "partial", "orphaned"]);
export type FileStatus = z.infer<typeof fileStatusSchema>;

/** A part of a video, in one category; the next one ends it. */
export const chapterSchema = z.object({
  startSec: z.number().check(z.nonnegative()),
  title: z.string(),
});
export type Chapter = z.infer<typeof chapterSchema>;

/** What happened at the source to a VOD after it was stored. */
export const SOURCE_CHANGES = ["gone", "cut", "muted", "longer"] as const;
export const sourceChangeSchema = z.object({
  kind: z.enum(SOURCE_CHANGES),
  since: instantSchema,
});
export type SourceChange = z.infer<typeof sourceChangeSchema>;

export const storedFileSchema = z.object({
  key: objectKeySchema,
  filename: z.nullable(z.string()),
  /** Of the video, also while it is archived; null for files without one. */
  title: z.nullable(z.string()),
  /** Null while it is not known. */
  durationSec: z.nullable(z.number().check(z.nonnegative())),
  size: sizeBytesSchema,
  lastModified: instantSchema,
  /** When the broadcast began; null if the source does not say. */
  recordedAt: z.nullable(instantSchema),
  uploadType: uploadTypeSchema,
  status: fileStatusSchema,
  username: z.nullable(z.string()),
  userId: z.nullable(userIdSchema),
  vodId: z.nullable(z.string()),
  /** What the file has of the VOD; null for all of it. */
  part: z.nullable(partSchema),
  /** The upload whose file this is, as long as it has a record. */
  uploadId: z.nullable(uploadIdSchema),
  /** Its upload waits or runs, so that it cannot be deleted. */
  isUploadRunning: z.boolean(),
  hasThumbnail: z.boolean(),
  hasStoryboard: z.boolean(),
  chatState: chatStateSchema,
  /** When the scrub last read the file to its end; null if it has not yet. */
  verifiedAt: z.nullable(instantSchema),
  /** Somebody asked for that, and it is still to come. */
  isVerificationDue: z.boolean(),
  /** Since when no retention removes it; null if one may. */
  lockedAt: z.nullable(instantSchema),
  /** Since when it is in the trash; null if it is not. */
  trashedAt: z.nullable(instantSchema),
  /** From when the rule that put it into the trash deletes it. */
  trashUntil: z.nullable(instantSchema),
  /** The gravest change; null if none is known. */
  sourceChange: z.nullable(sourceChangeSchema),
  /** In order; empty if the category never changes. */
  chapters: z.array(chapterSchema),
  metadata: z.record(z.string(), z.unknown()),
  /**
   * Short-lived, for this key only; absent for orphaned and unfinished files, and for stores
   * without such URLs.
   */
  downloadUrl: z.optional(z.string()),
  /** The name under which `downloadUrl` saves the file. */
  downloadName: z.optional(z.string()),
  /** Where the library folder has the file; absent if it does not, or there is none. */
  libraryPath: z.optional(z.string()),
  /** URL of the byte-range playlist, if the file plays in the browser. */
  playlistUrl: z.optional(z.string()),
  /**
   * URL of the playlist as an attachment that refers to the file by its download name; for files
   * whose format changes inside (`initSegments` of their metadata), which most players cannot play
   * alone.
   */
  playlistDownloadUrl: z.optional(z.string()),
  /** URL of the file itself, if browsers play its format by byte ranges. */
  videoUrl: z.optional(z.string()),
  /** URLs of the chat replay, if one is stored: as JSON to read (chat.ts), and as two downloads. */
  chat: z.optional(
    z.object({ url: z.string(), downloadUrl: z.string(), textDownloadUrl: z.string() }),
  ),
});
export type StoredFile = z.infer<typeof storedFileSchema>;

const count = z.int().check(z.nonnegative());

const filters = {
  search: searchParameter,
  userId: z.optional(userIdSchema),
  uploadType: z.optional(uploadTypeSchema),
  status: z.optional(fileStatusSchema),
  /** `missing`: VODs of which no chat is stored, or only a part of it. */
  chat: z.optional(z.literal("missing")),
  /** Leaves out the chunks of unfinished uploads. */
  chunks: z.optional(z.literal("hidden")),
  /** Files in the trash, which are left out otherwise. */
  trash: z.optional(z.literal("only")),
  /** Stored VODs that the source deleted, cut or muted since. */
  source: z.optional(z.literal("changed")),
  /** Broadcasts that began at or after this instant. */
  recordedFrom: z.optional(instantSchema),
  /** Broadcasts that began before this instant. */
  recordedUntil: z.optional(instantSchema),
};
const byStatusSchema = z.object({ complete: count, partial: count, orphaned: count });
export const fileOwnerSchema = z.object({
  userId: z.nullable(userIdSchema),
  username: z.nullable(z.string()),
  files: count,
  size: sizeBytesSchema,
});
export type FileOwner = z.infer<typeof fileOwnerSchema>;

export const browseFiles = defineCall({
  method: "GET",
  path: "/admin/r2/browse",
  policy: "read:uploads",
  summary: "Stored files, filtered, sorted and paged",
  query: z.strictObject({
    page: pageParameter,
    limit: integerParameter(1, MAX_BROWSE_PAGE_SIZE, DEFAULT_BROWSE_PAGE_SIZE),
    ...filters,
    sortBy: z._default(z.enum(["date", "name", "size", "user", "recorded", "length"]), "date"),
    sortOrder: z._default(z.enum(["asc", "desc"]), "desc"),
  }),
  data: z.object({
    files: z.array(storedFileSchema),
    /** If `totalIsCapped`, there are more files than `total` and more pages than `totalPages`. */
    pagination: z.object({
      page: z.int().check(z.minimum(1)),
      limit: z.int().check(z.minimum(1)),
      total: count,
      totalIsCapped: z.optional(z.boolean()),
      totalPages: count,
      hasPrev: z.boolean(),
      hasNext: z.boolean(),
    }),
    summary: z.object({ totalFiles: count, totalSizeFormatted: z.string() }),
    /** The first owners only, if there are many; `users` counts them all, without files of nobody. */
    byUser: z.array(fileOwnerSchema),
    users: count,
    byStatus: byStatusSchema,
    /** How many chunks were left out; absent if none were to be. */
    hiddenChunks: z.optional(count),
  }),
});

const fileParams = z.strictObject({ key: objectKeySchema });

export const neighbouringFiles = defineCall({
  method: "GET",
  path: "/admin/r2/neighbours/{key+}",
  policy: "read:uploads",
  summary: "The channel's other videos, by the dates of their broadcasts",
  params: fileParams,
  data: z.object({
    /** Broadcast after the file's, the nearest first; empty if its date is unknown. */
    newer: z.array(storedFileSchema),
    /** Broadcast before the file's, the nearest first; the newest if its date is unknown. */
    older: z.array(storedFileSchema),
  }),
});

export const getFile = defineCall({
  method: "GET",
  path: "/admin/r2/file/{key+}",
  policy: "read:uploads",
  summary: "One stored file, with a short-lived download address",
  params: fileParams,
  query: z.strictObject({ download: z.optional(booleanParameter) }),
  data: storedFileSchema,
});

export const getFileProof = defineCall({
  method: "GET",
  path: "/admin/r2/proof/{key+}",
  policy: "read:uploads",
  summary: "Digests of a stored file, part by part",
  params: fileParams,
  data: z.object({
    /** Of all parts but the last. */
    partSizeBytes: sizeBytesSchema,
    /** In order, in hexadecimal; empty for a file without a manifest. */
    partSha256: z.array(z.string()),
  }),
});

export const deleteFile = defineCall({
  method: "DELETE",
  path: "/admin/r2/file/{key+}",
  policy: "delete:uploads",
  summary: "Delete a stored file; refused while its upload runs",
  needsRecentSignIn: true,
  params: fileParams,
  data: z.object({
    key: z.string(),
    size: sizeBytesSchema,
    /** Why the store keeps the object for now; absent when it was deleted, or will be soon. */
    refusal: z.optional(z.string()),
  }),
});

/** A file as it was when it was selected. */
export const chosenFileSchema = z.strictObject({
  key: objectKeySchema,
  size: sizeBytesSchema,
  status: fileStatusSchema,
});
export type ChosenFile = z.infer<typeof chosenFileSchema>;

/** A snapshot of every matching file: the scope of "select all N matching". */
export const matchingFiles = defineCall({
  method: "GET",
  path: "/admin/r2/matching",
  policy: "read:uploads",
  summary: "All matching stored files, newest first, for a selection",
  query: z.strictObject(filters),
  data: z.object({
    files: z.array(chosenFileSchema),
    /** Of these files, in their order. */
    titles: z.array(z.nullable(z.string())),
    /** Of these files, those whose uploads wait or run, which cannot be deleted. */
    running: z.array(objectKeySchema),
    totalIsCapped: z.boolean(),
  }),
});

export const bulkDeleteFiles = defineCall({
  method: "POST",
  path: "/admin/r2/bulk-delete",
  policy: "delete:uploads",
  summary: "Delete several stored files; each is checked on its own, and one that changed stays",
  needsRecentSignIn: true,
  body: z.strictObject({
    files: z.array(chosenFileSchema).check(z.minLength(1), z.maxLength(MAX_BULK_FILES)),
  }),
  data: z.object({
    deleted: count,
    failed: count,
    freed: sizeBytesSchema,
    results: z.array(z.object({ key: z.string(), ok: z.boolean(), error: z.optional(z.string()) })),
  }),
});

export const fileStats = defineCall({
  method: "GET",
  path: "/admin/r2/stats",
  policy: "read:uploads",
  summary: "Totals over all stored files",
  data: z.object({
    totalFiles: count,
    totalSize: sizeBytesSchema,
    usersWithFiles: count,
    /** Those with most bytes, at most eight. */
    largestOwners: z.array(fileOwnerSchema),
    /** Of the broadcasts that are stored, in UTC as "2026-11", newest first. */
    months: z.array(z.string()),
    byStatus: byStatusSchema,
    /** `url` only if there are such files. */
    byType: z.object({ twitch: count, manual: count, chunk: count, url: z.optional(count) }),
  }),
});
