import type { QueryClient } from "@tanstack/react-query";
import type { Permission } from "#contract/permissions.ts";

/** What a screen is opened with: enough to request its data before it is drawn. */
export type ScreenOpening<Search = object> = {
  readonly queryClient: QueryClient;
  readonly search: Search;
  readonly params: Readonly<Record<string, string | undefined>>;
  /** "preload" while a link is pointed at. */
  readonly cause: "preload" | "enter" | "stay";
  readonly may: (permission: Permission) => boolean;
};
