import { LINKED_PAGES, type LinkedPage } from "#contract/pages.ts";
import type { Permission } from "#contract/permissions.ts";

/** A path of the console, with or without a query. */
export type EventLink =
  | LinkedPage
  | `${LinkedPage}?${string}`
  | `/watch/${string}`
  | `/channels/${string}`;

const PAGES: ReadonlyMap<string, Permission | null> = new Map(Object.entries(LINKED_PAGES));

/** The link, or null if the recipient may not open its page. */
export function linkFor(link: string | null, permissions: readonly Permission[]): string | null {
  if (link === null) return null;
  const [path = ""] = link.split("?", 1);
  const permission = PAGES.get(/^\/(?:watch|channels)(?=\/)/.exec(path)?.[0] ?? path);
  if (permission === undefined) return null;
  return permission === null || permissions.includes(permission) ? link : null;
}
