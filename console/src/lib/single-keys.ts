import { siteStore } from "./browser-storage.ts";

const OFF_KEY = "single_key_shortcuts";

/** Single-key shortcuts can be switched off, e.g. for speech input (WCAG 2.1.4). */
export function areSingleKeysOn(): boolean {
  return siteStore.getItem(OFF_KEY) !== "off";
}

export function switchSingleKeys(on: boolean): void {
  if (on) siteStore.removeItem(OFF_KEY);
  else siteStore.setItem(OFF_KEY, "off");
}

/** Keys go to the focused text field, or to an open dialog or menu. */
export function isTyping(target: EventTarget | null): boolean {
  if (document.querySelector("dialog:modal, [role='menu']:popover-open") !== null) return true;
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input:not([type='range']), textarea, select"))
  );
}
