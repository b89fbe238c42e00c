import * as z from "zod/mini";
import { defineCall } from "./call.ts";
import { userIdSchema } from "./ids.ts";
import { MAX_TOKEN_NAME_LENGTH } from "./limits.ts";
import { permissionSchema, PERMISSIONS } from "./permissions.ts";
import { instantSchema } from "./values.ts";

/** `vk_` and 256 random bits in base64url. */
const TOKEN_FORM = /^vk_[A-Za-z0-9_-]{43}$/;

/** Whether a bearer is a token for programs, and not that of a session. */
export function isApiToken(bearer: string | null): bearer is string {
  return bearer !== null && TOKEN_FORM.test(bearer);
}

const tokenIdSchema = z.string().check(z.regex(/^[0-9a-f]{16}$/, "is not a token's id"));

export const apiTokenSchema = z.object({
  id: tokenIdSchema,
  name: z.string(),
  owner: z.object({ userId: userIdSchema, login: z.string(), displayName: z.string() }),
  /** Of these, the ones that the owner holds at the time of a request apply. */
  permissions: z.array(permissionSchema),
  createdAt: instantSchema,
  /** Null if it does not expire. */
  expiresAt: z.nullable(instantSchema),
  /** Updated at most once a minute, with the address. */
  lastUsedAt: z.nullable(instantSchema),
  lastUsedAddress: z.nullable(z.string()),
});
export type ApiToken = z.infer<typeof apiTokenSchema>;

export const listTokens = defineCall({
  method: "GET",
  path: "/admin/tokens",
  policy: "admin",
  refusesTokens: true,
  summary: "My API tokens, newest first; with write:users those of all users",
  data: z.object({ tokens: z.array(apiTokenSchema) }),
});

export const createToken = defineCall({
  method: "POST",
  path: "/admin/tokens",
  policy: "admin",
  refusesTokens: true,
  needsRecentSignIn: true,
  summary: "Make an API token for a program; it is shown only in this answer",
  body: z.strictObject({
    name: z.string().check(z.trim(), z.minLength(1), z.maxLength(MAX_TOKEN_NAME_LENGTH)),
    /** A subset of one's own. */
    permissions: z.array(permissionSchema).check(
      z.minLength(1),
      z.maxLength(PERMISSIONS.length),
      z.refine((list) => new Set(list).size === list.length, "must not repeat a permission"),
    ),
    /** Null for a token that does not expire. */
    expiresInDays: z.nullable(z.int().check(z.minimum(1), z.maximum(3_650))),
  }),
  successStatus: 201,
  data: z.extend(apiTokenSchema, { token: z.string().check(z.regex(TOKEN_FORM)) }),
});

export const revokeToken = defineCall({
  method: "DELETE",
  path: "/admin/tokens/{id}",
  policy: "admin",
  refusesTokens: true,
  summary: "Revoke a token of mine, or with write:users of anyone; ends its streams and transfers",
  params: z.strictObject({ id: tokenIdSchema }),
  data: z.object({ id: tokenIdSchema }),
});
