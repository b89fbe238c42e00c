import {
  CirclePause,
  Eraser,
  KeyRound,
  Keyboard,
  LogOut,
  Monitor,
  Moon,
  Plus,
  Radio,
  RotateCw,
  ScrollText,
  Search,
  Server,
  ShieldCheck,
  Sun,
  Trash2,
  type LucideIcon,
} from "lucide-react";
import type { ReactElement } from "react";
import type { Begun } from "#console/lib/begun.ts";
import { chooseTheme } from "#console/lib/theme.ts";
import type { Permission } from "#contract/permissions.ts";
import { mayOpen, SCREEN_LIST, SCREENS } from "../screens.ts";
import { rankOf } from "./match-text.ts";

export type Command = {
  readonly id: string;
  /** The heading under which it stands. */
  readonly group:
    | "This row"
    | "This screen"
    | "Screens"
    | "Actions"
    | "VODs"
    | "Channels"
    | "Files"
    | "Search";
  readonly label: string;
  /** The kind of target, where the label alone does not say. */
  readonly hint?: string;
  readonly icon: LucideIcon | ReactElement;
  /** A path of the console and what begins there, what to call, or what else can be done. */
  readonly run:
    | {
        readonly path?: string;
        readonly begun?: Begun | undefined;
        readonly act?: (() => void) | undefined;
      }
    | "more";
  /** What else can be done with it. */
  readonly more?: readonly Command[];
};

export type CommandContext = {
  /** What the present screen offers. */
  readonly here?: readonly Command[];
  readonly permissions: readonly Permission[];
  readonly showShortcuts: () => void;
  readonly signOut: () => void;
  /** Undefined where the host keeps the database's history instead. */
  readonly backUp?: (() => void) | undefined;
};

/**
 * Palette entries for a text: the VOD it names, matching commands, search results, and links that
 * search for it. Commands that match but for a typing error come after the results, if no other
 * does.
 */
export function commandsFor(
  text: string,
  context: CommandContext,
  found: readonly Command[] = [],
): readonly Command[] {
  const { here = [] } = context;
  const { 0: exact = [], 1: near = [] } = Object.groupBy(
    [...here, ...fixedCommands(context)],
    ({ label }) => rankOf(text, label) ?? "none",
  );
  const wanted = text.trim();
  if (wanted === "") return exact;
  const archiving = mayArchive(context) ? archivingOf(wanted) : [];
  const isHere = ({ group }: Command) => group === "This row" || group === "This screen";
  return [
    ...archiving,
    ...exact.filter((command) => !isHere(command)),
    ...found,
    ...exact.filter(isHere),
    ...(exact.length === 0 ? near : []),
    ...searchesFor(wanted, context),
  ];
}

function mayArchive({ permissions }: CommandContext): boolean {
  return permissions.includes("write:uploads");
}

/** A VOD's address, or a number of at least eight digits. */
function archivingOf(text: string): readonly Command[] {
  if (!/^(?:https?:\/\/)?(?:[a-z]+\.)?twitch\.tv\/\S+$|^v?\d{8,}$/i.test(text)) return [];
  const path = `/uploads?${new URLSearchParams({ archive: text })}`;
  return [
    { id: "archive-this", group: "Actions", label: `Archive ${text}`, icon: Plus, run: { path } },
  ];
}

const NEW_ARCHIVE: Command = {
  id: "archive",
  group: "Actions",
  label: "New archive",
  icon: Plus,
  run: { path: "/uploads?archive=new" },
};

const ADD_CHANNELS: Command = {
  id: "add-channels",
  group: "Actions",
  label: "Add channels",
  icon: Plus,
  run: { path: "/channels?add=new" },
};

const BACK_UP = "Back up now";

/** What else a person may want to begin, and the right that it takes. */
const BEGINNINGS: readonly (Pick<Command, "label" | "icon"> & {
  readonly path: string;
  readonly begun?: Begun;
  readonly needs: Permission | null;
})[] = [
  { label: "New token", icon: KeyRound, path: "/notifications?view=tokens&new=1", needs: null },
  {
    label: "Add webhook",
    icon: Plus,
    path: "/notifications?view=webhooks&new=1",
    needs: "write:system",
  },
  { label: "Your sessions", icon: Monitor, path: "/notifications?view=sessions", needs: null },
  {
    label: "Default rule",
    icon: Radio,
    path: "/notifications?view=general&new=1",
    needs: "write:uploads",
  },
  {
    label: "Pause all rules",
    icon: CirclePause,
    path: "/channels",
    begun: "pause",
    needs: "write:uploads",
  },
  { label: "Make room", icon: Eraser, path: "/files?room=make", needs: "read:uploads" },
  {
    label: "Trash: restore or empty",
    icon: Trash2,
    path: "/files?trash=only",
    needs: "read:uploads",
  },
  {
    label: BACK_UP,
    icon: Server,
    path: "/system?view=backups",
    needs: "write:system",
  },
  {
    label: "Run checks",
    icon: ShieldCheck,
    path: "/system",
    begun: "examine",
    needs: "write:system",
  },
  { label: "Clear cache", icon: Eraser, path: "/system", begun: "clear", needs: "write:system" },
  {
    label: "Restart workers",
    icon: RotateCw,
    path: "/system",
    begun: "restart",
    needs: "write:system",
  },
  {
    label: "Verify everything",
    icon: ShieldCheck,
    path: "/system?view=storage",
    begun: "verify",
    needs: "write:system",
  },
  { label: "Export audit", icon: ScrollText, path: "/audit", needs: "read:system" },
];

const UPLOADS_BY_STATUS = ["processing", "pending"].map((status) => ({
  id: status,
  group: "Actions" as const,
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
      group: "Screens" as const,
      label,
      icon,
      run: { path },
    })),
    ...(mayArchive(context) ? [NEW_ARCHIVE, ADD_CHANNELS] : []),
    ...(mayOpen(SCREENS.uploads, context.permissions) ? UPLOADS_BY_STATUS : []),
    ...BEGINNINGS.filter(({ needs }) => needs === null || context.permissions.includes(needs)).map(
      ({ label, icon, path, begun }) => ({
        id: label,
        group: "Actions" as const,
        label,
        icon,
        run: { path, begun, act: label === BACK_UP ? context.backUp : undefined },
      }),
    ),
    themeCommand("system", "System theme", Monitor),
    themeCommand("light", "Light theme", Sun),
    themeCommand("dark", "Dark theme", Moon),
    {
      id: "shortcuts",
      group: "Actions",
      label: "Keyboard shortcuts",
      icon: Keyboard,
      run: { act: context.showShortcuts },
    },
    {
      id: "logout",
      group: "Actions",
      label: "Logout",
      icon: LogOut,
      run: { act: context.signOut },
    },
  ];
}

function themeCommand(
  theme: Parameters<typeof chooseTheme>[0],
  label: string,
  icon: LucideIcon,
): Command {
  return { id: theme, group: "Actions", label, icon, run: { act: () => chooseTheme(theme) } };
}

function searchesFor(text: string, context: CommandContext): readonly Command[] {
  const query = new URLSearchParams({ search: text });
  const searches = screensOf(context).flatMap(({ path, holds }) =>
    holds === undefined
      ? []
      : [
          {
            id: `search-${path}`,
            group: "Search" as const,
            label: `Search ${holds} for “${text}”`,
            icon: Search,
            run: { path: `${path}?${query}` },
          },
        ],
  );
  const label = `Search everywhere for “${text}”`;
  return searches.length < 2
    ? searches
    : [{ id: "search", group: "Search", label, icon: Search, run: "more", more: searches }];
}
