import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { userIdSchema } from "./ids.ts";
import { limitParameter, pagedListSchema, pageParameter, searchParameter } from "./paging.ts";
import { instantSchema } from "./values.ts";

/** The API token of a request; its name outlives it. */
export const auditTokenSchema = z.object({ id: z.string(), name: z.string() });
export type AuditToken = z.infer<typeof auditTokenSchema>;

export const auditEntrySchema = z.object({
  id: z.string(),
  at: instantSchema,
  actor: z.nullable(z.object({ userId: userIdSchema, login: z.string(), displayName: z.string() })),
  /** The actor's token, if a program made the request. */
  token: z.nullable(auditTokenSchema),
  /** `feature.verb`, e.g. `upload.retry`. */
  action: z.string(),
  target: z.nullable(z.string()),
  /** The title or name of the upload, file, user or token that the target is, while it exists. */
  targetName: z.nullable(z.string()),
  /** `refused`: the guard or a rule refused it; nothing changed. */
  result: z.enum(["done", "refused"]),
  reason: z.nullable(z.string()),
  before: z.unknown(),
  after: z.unknown(),
  requestId: z.nullable(z.string()),
  /**
   * The client's address, until it is removed. For anonymous refusals their networks, with counts.
   */
  address: z.nullable(z.string()),
  /** Number of occurrences: repeated refusals share one entry per hour. */
  count: z.int(),
  /** The last occurrence, if there is more than one. */
  lastAt: z.nullable(instantSchema),
});
export type AuditEntry = z.infer<typeof auditEntrySchema>;

const filters = {
  search: searchParameter,
  action: z.optional(z.string().check(z.maxLength(60))),
  actorId: z.optional(userIdSchema),
  result: z.optional(z.enum(["done", "refused"])),
  since: z.optional(instantSchema),
  /** Exclusive. */
  until: z.optional(instantSchema),
};

export const listAudit = defineCall({
  method: "GET",
  path: "/admin/audit",
  policy: "read:system",
  summary: "Every change and every refusal, newest first",
  query: z.strictObject({
    page: pageParameter,
    limit: limitParameter,
    ...filters,
  }),
  data: pagedListSchema(auditEntrySchema),
});

const sealSchema = z.string().check(z.regex(/^[0-9a-f]{64}$/));

/**
 * An entry as it was sealed: `seal` is the SHA-256, in hex, of the UTF-8 text of the JSON array
 * `[previousSeal, seq, at, actorId, action, target, result, reason, before, after, requestId]`,
 * where `before` and `after` are texts themselves. An entry with a `token`, another such text, has it
 * at the end of the array. `time` and `actorLogin` are not sealed.
 */
export const sealedEntrySchema = z.object({
  seq: z.int(),
  /** Milliseconds since 1970. */
  at: z.int(),
  actorId: z.nullable(z.string()),
  action: z.string(),
  target: z.nullable(z.string()),
  result: z.string(),
  reason: z.nullable(z.string()),
  before: z.nullable(z.string()),
  after: z.nullable(z.string()),
  requestId: z.nullable(z.string()),
  /** Missing in files of earlier versions. */
  token: z._default(z.nullable(z.string()), null),
  /** The seal of the previous entry, whether or not that one is in the file. */
  previousSeal: sealSchema,
  seal: sealSchema,
  time: instantSchema,
  actorLogin: z.nullable(z.string()),
});
export type SealedEntry = z.infer<typeof sealedEntrySchema>;

export const AUDIT_EXPORT_FORMATS = ["jsonl", "csv"] as const;
export type AuditExportFormat = (typeof AUDIT_EXPORT_FORMATS)[number];

export const exportAudit = defineCall({
  method: "GET",
  path: "/admin/audit/export",
  policy: "read:system",
  summary: "The newest matching entries, with their seals, as JSON lines or CSV",
  query: z.strictObject({
    ...filters,
    format: z._default(z.enum(AUDIT_EXPORT_FORMATS), "jsonl"),
    /** Only entries older than this one, to continue after a full file. */
    before: z.optional(z.string().check(z.regex(/^\d{1,15}$/))),
  }),
  data: sealedEntrySchema,
  lines: true,
});

/** Why the log goes on with a key that did not sign what was before. */
export const KEY_REPLACEMENTS = ["restore", "command"] as const;
export type KeyReplacementCause = (typeof KEY_REPLACEMENTS)[number];

export const verifyAudit = defineCall({
  method: "POST",
  path: "/admin/audit/verify",
  policy: "read:system",
  summary: "Recompute the hash chain over the audit log",
  data: z.object({
    verified: z.boolean(),
    entries: z.int(),
    /** The first entry that is missing or whose seal does not match. */
    firstBrokenId: z.nullable(z.string()),
    /** The newest entry at which the key that signs the log was replaced without the former one. */
    keyReplaced: z.nullable(z.object({ id: z.string(), cause: z.enum(KEY_REPLACEMENTS) })),
    /**
     * The newest seal. A copy kept elsewhere shows later whether the log was rewritten up to it.
     */
    head: z.nullable(z.object({ id: z.string(), seal: sealSchema })),
  }),
});
