import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { twitchUserIdSchema, userIdSchema } from "./ids.ts";
import { permissionSchema } from "./permissions.ts";

/** Where the service runs and stores: on Cloudflare, or on a machine with a bucket or a folder. */
export const deploymentSchema = z.enum(["cloudflare", "bucket", "folder"]);
export type Deployment = z.infer<typeof deploymentSchema>;

export const adminSchema = z.object({
  id: userIdSchema,
  twitchId: twitchUserIdSchema,
  login: z.string(),
  displayName: z.string(),
  profileImageUrl: z.nullable(z.string()),
  isAdmin: z.boolean(),
  permissions: z.array(permissionSchema),
  /** Of the service, which the console has to know before it draws anything. */
  deployment: deploymentSchema,
  /** Only for users without permissions, while nobody has any. */
  noAdministrator: z.optional(z.literal(true)),
});
export type Admin = z.infer<typeof adminSchema>;

/** 64 lower-case hex characters: 256 random bits, in the form that log redaction recognises. */
export const tokenSchema = z.string().check(z.regex(/^[0-9a-f]{64}$/, "is not a token"));

/**
 * `token` is the bearer: valid for 15 minutes, stored by the console under `admin_token`.
 * `streamTicket` opens one event stream: single use, 60 seconds.
 */
export const sessionGrantSchema = z.object({
  token: tokenSchema,
  tokenExpiresAt: z.iso.datetime(),
  streamTicket: tokenSchema,
  admin: adminSchema,
});
export type SessionGrant = z.infer<typeof sessionGrantSchema>;

export const login = defineCall({
  method: "GET",
  path: "/admin/auth/login",
  policy: "public",
  summary: "Start a sign-in: returns the address of Twitch's consent page",
  data: z.object({ authUrl: z.url() }),
});

/** What Twitch's redirect carries. */
export const redirectSchema = z.strictObject({
  code: z.string().check(z.minLength(1), z.maxLength(512)),
  state: z.string().check(z.minLength(1), z.maxLength(512)),
});

export const callback = defineCall({
  method: "POST",
  path: "/admin/auth/callback",
  policy: "public",
  summary: "Complete a sign-in with the parameters of Twitch's redirect",
  body: redirectSchema,
  data: sessionGrantSchema,
});

export const logout = defineCall({
  method: "POST",
  path: "/admin/auth/logout",
  policy: "public",
  summary: "End the session and its streams; safe to repeat",
  data: z.object({}),
});

export const refresh = defineCall({
  method: "POST",
  path: "/admin/auth/refresh",
  policy: "session",
  summary: "Renew the bearer token; needs the session cookie",
  data: sessionGrantSchema,
});

export const validate = defineCall({
  method: "GET",
  path: "/admin/auth/validate",
  policy: "public",
  summary: "Whether the request has a valid session, and whose",
  data: z.object({
    valid: z.boolean(),
    admin: z.nullable(adminSchema),
    streamTicket: z.optional(tokenSchema),
    /** Why the session of the request's cookie has ended, as a sentence. */
    ended: z.optional(z.string()),
  }),
});

export const streamTicket = defineCall({
  method: "POST",
  path: "/admin/auth/stream-ticket",
  policy: "session",
  summary: "A single-use ticket, good for 60 seconds, to open one event stream",
  data: z.object({ streamTicket: tokenSchema }),
});
