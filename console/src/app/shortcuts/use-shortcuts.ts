import { useNavigate } from "@tanstack/react-router";
import { useLayoutEffect, useState } from "react";
import { areSingleKeysOn, isTyping } from "#console/lib/single-keys.ts";
import { NAVIGATION } from "../screens.ts";

/** How long after "g" the second key counts. */
const GO_TO_WITHIN_MS = 1_500;

export type ShortcutDialog = "palette" | "sheet";

/** Listens for shortcuts; returns which of the two dialogs is open. */
export function useShortcuts() {
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<ShortcutDialog | null>(null);
  /** What was typed while the script of the palette was loading. */
  const [typed, setTyped] = useState("");
  // A layout effect runs before the first paint, so no visible screen misses a key.
  useLayoutEffect(() => {
    let goToUntilMs = 0;
    function handleKey(event: KeyboardEvent) {
      if (event.defaultPrevented || event.altKey || event.isComposing) return;
      const isModal = document.querySelector("dialog:modal") !== null;
      const { key } = event;
      if (event.ctrlKey || event.metaKey) {
        if (key.toLowerCase() !== "k" || event.shiftKey || isModal) return;
        event.preventDefault();
        setDialog("palette");
        return;
      }
      if (dialog !== null && !isModal) {
        if (key.length !== 1) return;
        event.preventDefault();
        setTyped((before) => before + key);
        return;
      }
      if (isTyping(event.target) || !areSingleKeysOn()) return;
      const screen = NAVIGATION.find((one) => one.key === key);
      if (event.timeStamp < goToUntilMs && screen !== undefined) {
        goToUntilMs = 0;
        void navigate({ to: screen.path });
      } else if (key === "g") {
        goToUntilMs = event.timeStamp + GO_TO_WITHIN_MS;
      } else if (key === "?") {
        setDialog("sheet");
      } else if (!pressKey(key)) {
        return;
      }
      event.preventDefault();
    }
    document.addEventListener("keydown", handleKey);
    return () => document.removeEventListener("keydown", handleKey);
  }, [navigate, dialog]);
  function closeDialog() {
    setDialog(null);
    setTyped("");
  }
  return { dialog, typed, openDialog: setDialog, closeDialog };
}

/** The control of the screen that a key leads to, by its `data-shortcut`. */
const CONTROLS: Readonly<Record<string, string>> = { "/": "search", r: "refresh", l: "live" };

/** Returns whether the screen has something for the key. */
function pressKey(key: string): boolean {
  if (key === "j" || key === "k") return moveRow(key === "j" ? 1 : -1);
  const name = CONTROLS[key];
  if (name === undefined) return false;
  const control = document.querySelector<HTMLElement>(`main [data-shortcut="${name}"]`);
  if (name === "search") control?.focus();
  else control?.click();
  return control !== null;
}

function moveRow(step: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-shortcut="row"]')];
  if (rows.length === 0) return false;
  const current = rows.findIndex((row) => row === document.activeElement);
  const next = current === -1 ? (step === 1 ? 0 : rows.length - 1) : current + step;
  rows[Math.min(Math.max(next, 0), rows.length - 1)]?.focus();
  return true;
}
