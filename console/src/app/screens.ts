import {
  Bell,
  CloudDownload,
  FolderOpen,
  LayoutDashboard,
  Play,
  Radio,
  ScrollText,
  Server,
  TriangleAlert,
  Users,
  type LucideIcon,
} from "lucide-react";
import type { ComponentType } from "react";
import * as z from "zod/mini";
import { LINKED_PAGES } from "#contract/pages.ts";
import type { Permission } from "#contract/permissions.ts";
import { readAuditSearch } from "#console/features/audit/audit-search.ts";
import { readChannelSearch } from "#console/features/channels/channel-search.ts";
import { readChannelsSearch } from "#console/features/channels/channels-search.ts";
import { readFilesSearch } from "#console/features/files/files-search.ts";
import { readSystemSearch } from "#console/features/system/system-search.ts";
import { readFailedSearch, readUploadsSearch } from "#console/features/uploads/uploads-search.ts";
import { readUsersSearch } from "#console/features/users/users-search.ts";
import type { ScreenOpening } from "#console/lib/screen-opening.ts";
import {
  LIST_PARAMS,
  searchReader,
  textParam,
  type RawSearch,
} from "#console/lib/search-params.ts";
import type { ScreenProps } from "#console/ui/page.tsx";

/** Everything about a screen but its contents: router, navigation, palette and shortcuts read it. */
export type Screen<Path extends string = string, Search extends object = object> = {
  readonly path: Path;
  readonly label: string;
  /** The label by default. */
  readonly title?: string;
  readonly icon: LucideIcon;
  /** Null where each user sees what they may. */
  readonly permission: Permission | null;
  /** The key that leads to it after "g"; only screens with one are in the navigation. */
  readonly key?: string;
  /** What a list holds, for the palette's searches. */
  readonly holds?: string;
  /** Reads something valid from any address. */
  readonly readSearch: (search: RawSearch) => Search;
  /** Imports `<name>-page.tsx`: the build finds the screen's scripts by that name. */
  readonly load: () => Promise<{
    readonly Screen: ComponentType<ScreenProps>;
    /** Requests data in parallel with the session check, or when a link is pointed at. */
    prefetch?(opening: ScreenOpening<NoInfer<Search>>): Promise<unknown>;
  }>;
};

/** Keeps the types of path and search parameters. */
function screen<const Path extends string, Search extends object>(one: Screen<Path, Search>) {
  return one;
}

/** The screens by name, in the order of the navigation. */
export const SCREENS = {
  dashboard: screen({
    path: "/",
    label: "Dashboard",
    icon: LayoutDashboard,
    permission: LINKED_PAGES["/"],
    key: "d",
    /** The open tab of the cost panel. */
    readSearch: searchReader({ cost: z.enum(["overview", "alerts", "thresholds", "trends"]) }),
    load: () => import("#console/features/dashboard/dashboard-page.tsx"),
  }),
  uploads: screen({
    path: "/uploads",
    label: "Upload Monitor",
    icon: CloudDownload,
    permission: LINKED_PAGES["/uploads"],
    key: "u",
    holds: "uploads",
    readSearch: readUploadsSearch,
    load: () => import("#console/features/uploads/uploads-page.tsx"),
  }),
  channels: screen({
    path: "/channels",
    label: "Channels",
    icon: Radio,
    permission: "read:uploads",
    key: "c",
    holds: "channels",
    readSearch: readChannelsSearch,
    load: () => import("#console/features/channels/channels-page.tsx"),
  }),
  "failed-uploads": screen({
    path: "/uploads/failed",
    label: "Failed Uploads",
    icon: TriangleAlert,
    permission: LINKED_PAGES["/uploads/failed"],
    key: "f",
    holds: "failed uploads",
    readSearch: readFailedSearch,
    load: () => import("#console/features/uploads/failed-uploads-page.tsx"),
  }),
  files: screen({
    path: "/files",
    label: "File Browser",
    title: "R2 File Browser",
    icon: FolderOpen,
    permission: LINKED_PAGES["/files"],
    key: "b",
    holds: "files",
    readSearch: readFilesSearch,
    load: () => import("#console/features/files/files-page.tsx"),
  }),
  users: screen({
    path: "/users",
    label: "Users",
    icon: Users,
    permission: LINKED_PAGES["/users"],
    key: "p",
    holds: "users",
    readSearch: readUsersSearch,
    load: () => import("#console/features/users/users-page.tsx"),
  }),
  notifications: screen({
    path: "/notifications",
    label: "Notifications",
    icon: Bell,
    permission: null,
    key: "n",
    /** `page` is the delivery log's; `view` is the notifications if absent, and `new` opens its form. */
    readSearch: searchReader({
      page: LIST_PARAMS.page,
      view: z.enum(["webhooks", "tokens", "sessions", "general"]),
      new: z.literal("1"),
    }),
    load: () => import("#console/features/notifications/notifications-page.tsx"),
  }),
  system: screen({
    path: "/system",
    label: "System",
    icon: Server,
    permission: LINKED_PAGES["/system"],
    key: "s",
    readSearch: readSystemSearch,
    load: () => import("#console/features/system/system-page.tsx"),
  }),
  /** Reached from every stored video. */
  watch: screen({
    path: "/watch/$uploadId",
    label: "Watch",
    icon: Play,
    permission: LINKED_PAGES["/watch"],
    /** `t` is where to start, e.g. `1h2m3s`. */
    readSearch: searchReader({ t: textParam(16) }),
    load: () => import("#console/features/watch/watch-page.tsx"),
  }),
  /** Reached from the list of channels. */
  channel: screen({
    path: "/channels/$channelId",
    label: "Channel",
    icon: Radio,
    permission: "read:uploads",
    readSearch: readChannelSearch,
    load: () => import("#console/features/channels/channel-page.tsx"),
  }),
  /** Reached from the System screen. */
  audit: screen({
    path: "/audit",
    label: "Audit Log",
    icon: ScrollText,
    permission: "read:system",
    readSearch: readAuditSearch,
    load: () => import("#console/features/audit/audit-page.tsx"),
  }),
} as const;

type AnyScreen = Omit<Screen, "path"> & {
  readonly path: Exclude<(typeof SCREENS)[keyof typeof SCREENS]["path"], `${string}$${string}`>;
};

/** Those whose address needs no id. */
export const SCREEN_LIST: readonly AnyScreen[] = Object.values(SCREENS).filter(
  (one): one is AnyScreen => !one.path.includes("$"),
);

/** Whether a user with these permissions may open a screen. */
export function mayOpen(
  { permission }: Pick<AnyScreen, "permission">,
  permissions: readonly Permission[],
): boolean {
  return permission === null || permissions.includes(permission);
}

export const NAVIGATION = SCREEN_LIST.filter(({ key }) => key !== undefined);

/**
 * The path equals the item or, for all but the root, starts with it (docs/console.md#navigation).
 */
export function isHighlighted(itemPath: string, path: string): boolean {
  if (path.startsWith("/watch/")) return itemPath === SCREENS.files.path;
  return path === itemPath || (itemPath !== "/" && path.startsWith(itemPath));
}
