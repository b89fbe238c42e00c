import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { instantSchema, sizeBytesSchema } from "./values.ts";

const count = z.int().check(z.nonnegative());

/** Backups of the database in the object store. */
export const backupsSchema = z.object({
  /** `history`: none, because the host keeps the database's history. */
  kind: z.enum(["nightly", "history"]),
  /** One was asked for, or is being made. */
  isRunning: z.boolean(),
  /** The next one; past if it is due now. Null where none are made. */
  dueAt: z.nullable(instantSchema),
  /** None was made for two days. */
  isOverdue: z.boolean(),
  last: z.nullable(z.object({ at: instantSchema, sizeBytes: sizeBytesSchema })),
  /** In the store. */
  kept: count,
  /** Why none was made since then, in the words of the store or the disk; null after a success. */
  failure: z.nullable(z.object({ sinceAt: instantSchema, text: z.string() })),
  /** When a backup was last restored into a temporary folder, and what it had. */
  test: z.nullable(
    z.object({ at: instantSchema, backupAt: instantSchema, uploads: count, files: count }),
  ),
  /** Null if the last test succeeded. `isDamaged`: the backup failed it; otherwise nothing is known. */
  testFailure: z.nullable(z.object({ isDamaged: z.boolean(), text: z.string() })),
});
export type Backups = z.infer<typeof backupsSchema>;

export const readBackups = defineCall({
  method: "GET",
  path: "/admin/system/backups",
  policy: "read:system",
  summary: "Backups of the database: the last one, the last restore test, and what fails",
  data: backupsSchema,
});

export const backUpNow = defineCall({
  method: "POST",
  path: "/admin/system/backups",
  policy: "write:system",
  summary: "Back the database up into the object store within seconds",
  /** `isStarted`: false if one was running already. */
  data: z.object({ isStarted: z.boolean() }),
});
