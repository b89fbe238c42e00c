import {
  Bell,
  CloudDownload,
  FolderOpen,
  LayoutDashboard,
  Server,
  TriangleAlert,
  Users,
  type LucideIcon,
} from "lucide-react";

export type NavigationItem = {
  readonly to:
    | "/"
    | "/uploads"
    | "/uploads/failed"
    | "/files"
    | "/users"
    | "/notifications"
    | "/system";
  readonly label: string;
  readonly icon: LucideIcon;
};

export const NAVIGATION: readonly NavigationItem[] = [
  { to: "/", label: "Dashboard", icon: LayoutDashboard },
  { to: "/uploads", label: "Upload Monitor", icon: CloudDownload },
  { to: "/uploads/failed", label: "Failed Uploads", icon: TriangleAlert },
  { to: "/files", label: "File Browser", icon: FolderOpen },
  { to: "/users", label: "Users", icon: Users },
  { to: "/notifications", label: "Notifications", icon: Bell },
  { to: "/system", label: "System", icon: Server },
];

/**
 * The path equals the item or, for all but the root, starts with it (docs/console.md#navigation).
 */
export function isHighlighted(itemPath: string, path: string): boolean {
  return path === itemPath || (itemPath !== "/" && path.startsWith(itemPath));
}
