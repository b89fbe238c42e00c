import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { objectKeySchema } from "./files.ts";
import { MAX_BULK_IDS } from "./limits.ts";
import { instantSchema, sizeBytesSchema } from "./values.ts";

const count = z.int().check(z.nonnegative());

export const restoreFiles = defineCall({
  method: "POST",
  path: "/admin/trash/restore",
  policy: "write:uploads",
  summary: "Take files out of the trash, and lock them against the rule that put them there",
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
  summary: "Keep a file from every retention, or take that back",
  params: z.strictObject({ key: objectKeySchema }),
  body: z.strictObject({ locked: z.boolean() }),
  data: z.object({ lockedAt: z.nullable(instantSchema) }),
});
