import type { Permission } from "./permissions.ts";

/** Pages of the console that a notification may lead to, and what each asks of its reader. */
export const LINKED_PAGES = {
  /** The dashboard shows everybody what they may see. */
  "/": null,
  "/uploads": "read:uploads",
  "/uploads/failed": "read:uploads",
  "/files": "read:uploads",
  "/users": "read:users",
  "/system": "read:system",
} as const satisfies Record<string, Permission | null>;

export type LinkedPage = keyof typeof LINKED_PAGES;
