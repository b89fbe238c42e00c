import { Keyboard, LogOut, Monitor, Moon, Plus, Search, Sun, type LucideIcon } from "lucide-react";
import { chooseTheme } from "#console/lib/theme.ts";
import type { Permission } from "#contract/permissions.ts";
import { mayOpen, SCREEN_LIST, SCREENS } from "../screens.ts";

export type Command = {
  readonly id: string;
  readonly label: string;
  /** The kind of target, where the label alone does not say. */
  readonly hint?: string;
  readonly icon: LucideIcon;
  /** A path of the console, or a function to call. */
  readonly run: { readonly path: string } | { readonly act: () => void };
};

export type CommandContext = {
  readonly permissions: readonly Permission[];
  readonly showShortcuts: () => void;
  readonly signOut: () => void;
};

/**
 * Palette entries for a text: the VOD it names, matching commands, search results, and links that
 * search for it.
 */
export function commandsFor(
  text: string,
  context: CommandContext,
  found: readonly Command[] = [],
): readonly Command[] {
  const wanted = text.trim().toLowerCase();
  const matching = fixedCommands(context).filter(({ label }) =>
    wanted.split(/\s+/).every((word) => label.toLowerCase().includes(word)),
  );
  if (wanted === "") return matching;
  const archiving = mayArchive(context) ? archivingOf(text.trim()) : [];
  return [...archiving, ...matching, ...found, ...searchesFor(text.trim(), context)];
}

function mayArchive({ permissions }: CommandContext): boolean {
  return permissions.includes("write:uploads");
}

/** A VOD's address, or a number of at least eight digits. */
function archivingOf(text: string): readonly Command[] {
  if (!/^(?:https?:\/\/)?(?:[a-z]+\.)?twitch\.tv\/\S+$|^v?\d{8,}$/i.test(text)) return [];
  const path = `/uploads?${new URLSearchParams({ archive: text })}`;
  return [{ id: "archive-this", label: `Archive ${text}`, icon: Plus, run: { path } }];
}

const NEW_ARCHIVE: Command = {
  id: "archive",
  label: "New archive",
  icon: Plus,
  run: { path: "/uploads?archive=new" },
};

const UPLOADS_BY_STATUS = ["processing", "pending"].map((status) => ({
  id: status,
  label: `Uploads that are ${status}`,
  icon: Search,
  run: { path: `/uploads?status=${status}` },
}));

function screensOf({ permissions }: CommandContext) {
  return SCREEN_LIST.filter((screen) => mayOpen(screen, permissions));
}

function fixedCommands(context: CommandContext): readonly Command[] {
  return [
    ...screensOf(context).map(({ path, label, icon }) => ({
      id: path,
      label,
      icon,
      run: { path },
    })),
    ...(mayArchive(context) ? [NEW_ARCHIVE] : []),
    ...(mayOpen(SCREENS.uploads, context.permissions) ? UPLOADS_BY_STATUS : []),
    { id: "system", label: "System theme", icon: Monitor, run: themeOf("system") },
    { id: "light", label: "Light theme", icon: Sun, run: themeOf("light") },
    { id: "dark", label: "Dark theme", icon: Moon, run: themeOf("dark") },
    {
      id: "shortcuts",
      label: "Keyboard shortcuts",
      icon: Keyboard,
      run: { act: context.showShortcuts },
    },
    { id: "logout", label: "Logout", icon: LogOut, run: { act: context.signOut } },
  ];
}

function themeOf(theme: Parameters<typeof chooseTheme>[0]) {
  return { act: () => chooseTheme(theme) };
}

function searchesFor(text: string, context: CommandContext): readonly Command[] {
  const query = new URLSearchParams({ search: text });
  return screensOf(context).flatMap(({ path, holds }) =>
    holds === undefined
      ? []
      : [
          {
            id: `search-${path}`,
            label: `Search ${holds} for “${text}”`,
            icon: Search,
            run: { path: `${path}?${query}` },
          },
        ],
  );
}
