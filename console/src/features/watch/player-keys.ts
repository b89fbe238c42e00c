import { useEffect, useEffectEvent } from "react";
import { areSingleKeysOn, isTyping } from "#console/lib/single-keys.ts";

const SKIP_SEC = 10;
const STEP_SEC = 5;
const VOLUME_STEP = 0.05;

export type PlayerCommand =
  | { readonly do: "toggle" | "mute" | "fullScreen" | "theater" | "clipStart" | "clipEnd" }
  | { readonly do: "skip"; readonly sec: number }
  | { readonly do: "goTo"; readonly percent: number }
  | { readonly do: "frame" | "speed"; readonly step: 1 | -1 }
  | { readonly do: "volume"; readonly by: number };

const COMMANDS: Readonly<Record<string, PlayerCommand>> = {
  " ": { do: "toggle" },
  k: { do: "toggle" },
  j: { do: "skip", sec: -SKIP_SEC },
  l: { do: "skip", sec: SKIP_SEC },
  ArrowLeft: { do: "skip", sec: -STEP_SEC },
  ArrowRight: { do: "skip", sec: STEP_SEC },
  ArrowUp: { do: "volume", by: VOLUME_STEP },
  ArrowDown: { do: "volume", by: -VOLUME_STEP },
  m: { do: "mute" },
  f: { do: "fullScreen" },
  t: { do: "theater" },
  i: { do: "clipStart" },
  o: { do: "clipEnd" },
  ",": { do: "frame", step: -1 },
  ".": { do: "frame", step: 1 },
  "<": { do: "speed", step: -1 },
  ">": { do: "speed", step: 1 },
};

function commandOf(key: string): PlayerCommand | undefined {
  return /^\d$/.test(key) ? { do: "goTo", percent: Number(key) * 10 } : COMMANDS[key];
}

/**
 * Handles the player's keys anywhere on the screen, after the console's own and those of the focused
 * control. Keys that scroll elsewhere count only in the player, as do all if single keys are off.
 */
export function usePlayerKeys(
  player: HTMLElement | null,
  onCommand: (command: PlayerCommand) => void,
): void {
  const run = useEffectEvent(onCommand);
  useEffect(() => {
    function handleKey(event: KeyboardEvent) {
      if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return;
      const { key, target } = event;
      const command = commandOf(key);
      if (command === undefined || isTyping(target)) return;
      const isInside = target instanceof Node && player?.contains(target) === true;
      if (!isInside && (command.do === "volume" || !areSingleKeysOn())) return;
      if (target instanceof Element && hasOwnUse(target, key)) return;
      event.preventDefault();
      run(command);
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
