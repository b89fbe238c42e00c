import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { twitchUserIdSchema, userIdSchema } from "./ids.ts";
import { MAX_BAN_REASON_LENGTH } from "./limits.ts";
import { limitParameter, pagedListSchema, pageParameter, searchParameter } from "./paging.ts";
import { permissionSchema } from "./permissions.ts";
import { booleanParameter, instantSchema, sizeBytesSchema } from "./values.ts";

export const userSchema = z.object({
  id: userIdSchema,
  /** Incremented with every change of the user; sent back with an edit to detect a stale form. */
  version: z.int(),
  twitchId: twitchUserIdSchema,
  displayName: z.string(),
  login: z.string(),
  email: z.nullable(z.string()),
  profileImageUrl: z.nullable(z.string()),
  isAdmin: z.boolean(),
  isBanned: z.boolean(),
  banReason: z.nullable(z.string()),
  /** True for administrators named in the deployment's settings: they can't be changed here. */
  isBootstrap: z.boolean(),
  permissions: z.array(permissionSchema),
  lastLoginAt: z.nullable(instantSchema),
  createdAt: instantSchema,
  uploads: z.int(),
  storedBytes: sizeBytesSchema,
});
export type User = z.infer<typeof userSchema>;

const userParams = z.strictObject({ id: userIdSchema });

export const USER_SORTS = ["lastLoginAt", "displayName", "createdAt"] as const;

export const listUsers = defineCall({
  method: "GET",
  path: "/admin/users",
  policy: "read:users",
  summary: "Users: people who signed in and owners of archived VODs",
  query: z.strictObject({
    page: pageParameter,
    limit: limitParameter,
    search: searchParameter,
    isAdmin: z.optional(booleanParameter),
    isBanned: z.optional(booleanParameter),
    sortBy: z._default(z.enum(USER_SORTS), "lastLoginAt"),
    sortOrder: z._default(z.enum(["asc", "desc"]), "desc"),
  }),
  data: pagedListSchema(userSchema),
});

export const getUser = defineCall({
  method: "GET",
  path: "/admin/users/{id}",
  policy: "read:users",
  summary: "One user",
  params: userParams,
  data: userSchema,
});

export const setPermissions = defineCall({
  method: "PUT",
  path: "/admin/users/{id}/permissions",
  policy: "write:users",
  refusesTokens: true,
  summary: "Replace a user's permissions; an empty list makes an ordinary user",
  needsRecentSignIn: true,
  params: userParams,
  body: z.strictObject({
    permissions: z.array(permissionSchema).check(
      z.maxLength(7),
      z.refine((list) => new Set(list).size === list.length, "must not repeat a permission"),
    ),
    /** The version the form was opened with; if given, a newer user is a conflict. */
    version: z.optional(z.int()),
  }),
  data: userSchema,
});

export const banUser = defineCall({
  method: "POST",
  path: "/admin/users/{id}/ban",
  policy: "write:users",
  refusesTokens: true,
  summary: "Ban: sessions and streams end at once, pending uploads are cancelled",
  needsRecentSignIn: true,
  params: userParams,
  body: z.strictObject({
    reason: z.optional(
      z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_BAN_REASON_LENGTH)),
    ),
  }),
  bodyOptional: true,
  data: userSchema,
});

export const endUserSessions = defineCall({
  method: "DELETE",
  path: "/admin/users/{id}/sessions",
  policy: "write:users",
  refusesTokens: true,
  summary: "End every session of a user with its streams: they have to sign in again",
  params: userParams,
  data: z.object({}),
});

export const unbanUser = defineCall({
  method: "POST",
  path: "/admin/users/{id}/unban",
  policy: "write:users",
  refusesTokens: true,
  summary: "Lift a ban; the user's earlier permissions apply again",
  needsRecentSignIn: true,
  params: userParams,
  data: userSchema,
});

const count = z.int().check(z.nonnegative());

export const previewErasure = defineCall({
  method: "GET",
  path: "/admin/users/{id}/erasure",
  policy: "write:users",
  summary: "What erasing a user would delete, and the uploads that would keep the channel's name",
  params: userParams,
  data: z.object({
    sessions: count,
    /** Notification settings with a mail address or a Telegram account. */
    contacts: count,
    /** Notifications to and about the user. */
    messages: count,
    /** The name of the person's channel, which is no longer followed then; null if it is not. */
    followedChannel: z.nullable(z.string()),
    /** Whether the owner's consent to archiving would end. */
    hasConsent: z.boolean(),
    keptUploads: count,
    /** Stored chat replays, in which {@link eraseChatter} would replace the name. */
    chatReplays: count,
  }),
});

export const eraseUser = defineCall({
  method: "DELETE",
  path: "/admin/users/{id}",
  policy: "write:users",
  refusesTokens: true,
  summary: "Erase a person: name, address, picture, contacts, sessions and permissions",
  needsRecentSignIn: true,
  params: userParams,
  data: userSchema,
});

export const eraseChatter = defineCall({
  method: "POST",
  path: "/admin/chat-erasures",
  policy: "write:users",
  refusesTokens: true,
  summary:
    "Replace the name of a person, who need not be a user, in all chat replays, stored now or later",
  needsRecentSignIn: true,
  body: z.strictObject({ twitchId: twitchUserIdSchema }),
  data: z.object({
    /** The stored replays that are searched, within minutes to hours. */
    chatReplays: count,
  }),
});
