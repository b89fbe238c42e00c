import type { Permission } from "./permissions.ts";

/** Console pages that a notification may link to, with the permission each requires. */
export const LINKED_PAGES = {
  /** The dashboard is open to all and shows what each user may see. */
  "/": null,
  "/uploads": "read:uploads",
  "/uploads/failed": "read:uploads",
  "/files": "read:uploads",
  /** `/watch/<upload>` */
  "/watch": "read:uploads",
  /** `/channels/<channel>` */
  "/channels": "read:uploads",
  "/users": "read:users",
  "/system": "read:system",
} as const satisfies Record<string, Permission | null>;

export type LinkedPage = keyof typeof LINKED_PAGES;
