import * as z from "zod/mini";

/** In the console's order. */
export const PERMISSIONS = [
  "read:uploads",
  "write:uploads",
  "delete:uploads",
  "read:users",
  "write:users",
  "read:system",
  "write:system",
] as const;

export const permissionSchema = z.enum(PERMISSIONS);
export type Permission = z.infer<typeof permissionSchema>;

/**
 * Who may make a call.
 * - `public`: anyone, signed in or not.
 * - `session`: any live session, administrator or not.
 * - `admin`: any administrator (a user with at least one permission), on their own data.
 * - a permission: an administrator who holds it.
 * - `metrics_token`: holders of the token of the Prometheus endpoint.
 */
export type Policy = "public" | "session" | "admin" | "metrics_token" | Permission;
