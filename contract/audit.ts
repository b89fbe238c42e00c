import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { userIdSchema } from "./ids.ts";
import { limitParameter, pagedListSchema, pageParameter, searchParameter } from "./paging.ts";
import { instantSchema } from "./values.ts";

export const auditEntrySchema = z.object({
  id: z.string(),
  at: instantSchema,
  actor: z.nullable(z.object({ userId: userIdSchema, login: z.string(), displayName: z.string() })),
  /** `feature.verb`, e.g. `upload.retry`. */
  action: z.string(),
  target: z.nullable(z.string()),
  /** `refused`: the guard or a rule said no; nothing changed. */
  result: z.enum(["done", "refused"]),
  reason: z.nullable(z.string()),
  before: z.nullable(z.unknown()),
  after: z.nullable(z.unknown()),
  requestId: z.nullable(z.string()),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

export const listAudit = defineCall({
  method: "GET",
  path: "/admin/audit",
  policy: "read:system",
  summary: "Every change and every refusal, newest first",
  query: z.strictObject({
    page: pageParameter,
    limit: limitParameter,
    search: searchParameter,
    action: z.optional(z.string().check(z.maxLength(60))),
    actorId: z.optional(userIdSchema),
    result: z.optional(z.enum(["done", "refused"])),
  }),
  data: pagedListSchema(auditEntrySchema),
});

export const verifyAudit = defineCall({
  method: "POST",
  path: "/admin/audit/verify",
  policy: "read:system",
  summary: "Recompute the hash chain over the audit log",
  data: z.object({
    verified: z.boolean(),
    entries: z.int(),
    /** The first entry whose hash does not follow from the one before. */
    firstBrokenId: z.nullable(z.string()),
  }),
});
