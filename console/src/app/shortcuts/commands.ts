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
import { mayOpen, SCREEN_LIST } from "../screens.ts";
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
  const archiving = context.permissions.includes("write:uploads") ? archivingOf(wanted) : [];
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

/** A VOD's address, or a number of at least eight digits. */
function archivingOf(text: string): readonly Command[] {
  if (!/^(?:https?:\/\/)?(?:[a-z]+\.)?twitch\.tv\/\S+$|^v?\d{8,}$/i.test(text)) return [];
  const path = `/uploads?${new URLSearchParams({ archive: text })}`;
  return [
    { id: "archive-this", group: "Actions", label: `Archive ${text}`, icon: Plus, run: { path } },
  ];
}

const BACK_UP = "Back up now";

/** What a person may want to begin, where that is, and the right that it takes. */
const BEGINNINGS: readonly (readonly [
  label: string,
  icon: LucideIcon,
  path: string,
  needs: Permission | null,
  begun?: Begun,
])[] = [
  ["New archive", Plus, "/uploads?archive=new", "write:uploads"],
  ["Add channels", Plus, "/channels?add=new", "write:uploads"],
  ["Uploads that are processing", Search, "/uploads?status=processing", "read:uploads"],
  ["Uploads that are pending", Search, "/uploads?status=pending", "read:uploads"],
  ["New token", KeyRound, "/notifications?view=tokens&new=1", null],
  ["Add webhook", Plus, "/notifications?view=webhooks&new=1", "write:system"],
  ["Your sessions", Monitor, "/notifications?view=sessions", null],
  ["Default rule", Radio, "/notifications?view=general&new=1", "write:uploads"],
  ["Pause all rules", CirclePause, "/channels", "write:uploads", "pause"],
  ["Make room", Eraser, "/files?room=make", "read:uploads"],
  ["Trash: restore or empty", Trash2, "/files?trash=only", "read:uploads"],
  [BACK_UP, Server, "/system?view=backups", "write:system"],
  ["Run checks", ShieldCheck, "/system", "write:system", "examine"],
  ["Clear cache", Eraser, "/system", "write:system", "clear"],
  ["Restart workers", RotateCw, "/system", "write:system", "restart"],
  ["Verify everything", ShieldCheck, "/system?view=storage", "write:system", "verify"],
  ["Export audit", ScrollText, "/audit", "read:system"],
];

const THEMES = [
  ["system", "System theme", Monitor],
  ["light", "Light theme", Sun],
  ["dark", "Dark theme", Moon],
] as const;

function screensOf({ permissions }: CommandContext) {
  return SCREEN_LIST.filter((screen) => mayOpen(screen, permissions));
}

function fixedCommands(context: CommandContext): readonly Command[] {
  const { permissions, backUp, showShortcuts, signOut } = context;
  const begins = BEGINNINGS.filter(
    ([, , , needs]) => needs === null || permissions.includes(needs),
  );
  const actions: readonly Omit<Command, "id" | "group">[] = [
    ...begins.map(([label, icon, path, , begun]) => ({
      label,
      icon,
      run: { path, begun, act: label === BACK_UP ? backUp : undefined },
    })),
    ...THEMES.map(([theme, label, icon]) => ({
      label,
      icon,
      run: { act: () => chooseTheme(theme) },
    })),
    { label: "Keyboard shortcuts", icon: Keyboard, run: { act: showShortcuts } },
    { label: "Logout", icon: LogOut, run: { act: signOut } },
  ];
  return [
    ...screensOf(context).map(({ path, label, icon }) => ({
      id: path,
      group: "Screens" as const,
      label,
      icon,
      run: { path },
    })),
    ...actions.map((action) => ({ ...action, id: action.label, group: "Actions" as const })),
  ];
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
