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

/** Finds a control of the screen by its `data-shortcut`. */
function control(name: string): HTMLElement | null {
  return document.querySelector<HTMLElement>(`main [data-shortcut="${name}"]`);
}

function pressKey(key: string): boolean {
  switch (key) {
    case "/":
      control("search")?.focus();
      return true;
    case "r":
      control("refresh")?.click();
      return true;
    case "l":
      return clickLiveToggle();
    case "j":
      return moveRow(1);
    case "k":
      return moveRow(-1);
    default:
      return false;
  }
}

function clickLiveToggle(): boolean {
  const toggle = control("live");
  toggle?.click();
  return toggle !== null;
}

function moveRow(step: 1 | -1): boolean {
  const rows = [...document.querySelectorAll<HTMLElement>('main [data-shortcut="row"]')];
  if (rows.length === 0) return false;
  const current = rows.findIndex((row) => row === document.activeElement);
  const next = current === -1 ? (step === 1 ? 0 : rows.length - 1) : current + step;
  rows[Math.min(Math.max(next, 0), rows.length - 1)]?.focus();
  return true;
}
