import {
  FolderOpen,
  Keyboard,
  LogOut,
  Monitor,
  Moon,
  Plus,
  ScrollText,
  Search,
  Sun,
  type LucideIcon,
} from "lucide-react";
import { chooseTheme } from "#console/lib/theme.ts";
import { NAVIGATION } from "../layout/navigation.ts";

export type Command = {
  readonly id: string;
  readonly label: string;
  /** The kind of target, where the label alone does not say. */
  readonly hint?: string;
  readonly icon: LucideIcon;
  /** A path of the console, or a function to call. */
  readonly run: { readonly path: string } | { readonly act: () => void };
};

export type CommandActions = {
  readonly showShortcuts: () => void;
  readonly signOut: () => void;
};

/**
 * Palette entries for a text: the VOD it names, matching commands, search results, and links that
 * search for it.
 */
export function commandsFor(
  text: string,
  actions: CommandActions,
  found: readonly Command[] = [],
): readonly Command[] {
  const wanted = text.trim().toLowerCase();
  const matching = fixedCommands(actions).filter(({ label }) =>
    wanted.split(/\s+/).every((word) => label.toLowerCase().includes(word)),
  );
  if (wanted === "") return matching;
  return [...archivingOf(text.trim()), ...matching, ...found, ...searchesFor(text.trim())];
}

/** A VOD's address, or a number of at least eight digits. */
function archivingOf(text: string): readonly Command[] {
  if (!/^(?:https?:\/\/)?(?:[a-z]+\.)?twitch\.tv\/\S+$|^v?\d{8,}$/i.test(text)) return [];
  const path = `/uploads?${new URLSearchParams({ archive: text })}`;
  return [{ id: "archive-this", label: `Archive ${text}`, icon: Plus, run: { path } }];
}

function fixedCommands(actions: CommandActions): readonly Command[] {
  return [
    ...NAVIGATION.map(({ to, label, icon }) => ({ id: to, label, icon, run: { path: to } })),
    { id: "audit", label: "Audit Log", icon: ScrollText, run: { path: "/audit" } },
    { id: "archive", label: "New archive", icon: Plus, run: { path: "/uploads?archive=new" } },
    ...(["processing", "pending"] as const).map((status) => ({
      id: status,
      label: `Uploads that are ${status}`,
      icon: Search,
      run: { path: `/uploads?status=${status}` },
    })),
    { id: "system", label: "System theme", icon: Monitor, run: themeOf("system") },
    { id: "light", label: "Light theme", icon: Sun, run: themeOf("light") },
    { id: "dark", label: "Dark theme", icon: Moon, run: themeOf("dark") },
    {
      id: "shortcuts",
      label: "Keyboard shortcuts",
      icon: Keyboard,
      run: { act: actions.showShortcuts },
    },
    { id: "logout", label: "Logout", icon: LogOut, run: { act: actions.signOut } },
  ];
}

function themeOf(theme: Parameters<typeof chooseTheme>[0]) {
  return { act: () => chooseTheme(theme) };
}

function searchesFor(text: string): readonly Command[] {
  const query = new URLSearchParams({ search: text });
  const search = (id: string, label: string, path: string, icon = Search): Command => ({
    id,
    label: `${label} “${text}”`,
    icon,
    run: { path: `${path}?${query}` },
  });
  return [
    search("search-uploads", "Search uploads for", "/uploads"),
    search("search-failed", "Search failed uploads for", "/uploads/failed"),
    search("search-files", "Search files for", "/files", FolderOpen),
    search("search-users", "Search users for", "/users"),
  ];
}
