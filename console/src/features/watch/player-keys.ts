import { useEffect, useEffectEvent } from "react";
import { areSingleKeysOn, isTyping } from "#console/lib/single-keys.ts";

/** What each key does, by its name. */
export type PlayerKeys = Readonly<Record<string, () => void>>;

/**
 * Handles the player's keys anywhere on the screen, after the console's own and those of the focused
 * control. Keys that scroll elsewhere count only in the player, as do all if single keys are off.
 */
export function usePlayerKeys(player: HTMLElement | null, keys: PlayerKeys): void {
  const commandOf = useEffectEvent((key: string) =>
    Object.hasOwn(keys, key) ? keys[key] : undefined,
  );
  useEffect(() => {
    function handleKey(event: KeyboardEvent) {
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
      const { key, target } = event;
      const run = commandOf(key);
      if (run === undefined || isTyping(target)) return;
      const isInside = target instanceof Node && player?.contains(target) === true;
      const scrolls = key === "ArrowUp" || key === "ArrowDown";
      if (!isInside && (scrolls || !areSingleKeysOn())) return;
      if (target instanceof Element && hasOwnUse(target, key)) return;
      event.preventDefault();
      run();
    }
    // After the document, where the console's shortcuts listen.
    window.addEventListener("keydown", handleKey);
    return () => window.removeEventListener("keydown", handleKey);
  }, [player]);
}

/** Space presses buttons, and arrows move sliders; links and scrolling regions use them, too. */
function hasOwnUse(target: Element, key: string): boolean {
  if (key === " ") return target.matches("button, summary, [role='button']");
  return key.startsWith("Arrow") && target.matches("input, [role='tab'], [role='listbox'], pre");
}
