import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { instantSchema } from "./values.ts";

const sessionIdSchema = z.string().check(z.regex(/^[0-9a-f]{24}$/, "is not a session's id"));

export const ownSessionSchema = z.object({
  id: sessionIdSchema,
  /** The `User-Agent` of the sign-in. */
  userAgent: z.nullable(z.string()),
  /** The address that the sign-in came from. */
  address: z.nullable(z.string()),
  createdAt: instantSchema,
  /** Updated at most once a minute. */
  lastUsedAt: instantSchema,
  expiresAt: instantSchema,
  /** True for the session of this request. */
  isCurrent: z.boolean(),
});
export type OwnSession = z.infer<typeof ownSessionSchema>;

export const listSessions = defineCall({
  method: "GET",
  path: "/admin/auth/sessions",
  policy: "session",
  summary: "The signed-in user's sessions, most recently used first",
  data: z.object({ sessions: z.array(ownSessionSchema) }),
});

export const endSession = defineCall({
  method: "DELETE",
  path: "/admin/auth/sessions/{id}",
  policy: "session",
  summary: "End a session of the signed-in user and its streams; safe to repeat",
  params: z.strictObject({ id: sessionIdSchema }),
  data: z.object({}),
});
