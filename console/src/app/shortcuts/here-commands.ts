import { MousePointerClick } from "lucide-react";
import { visibleText } from "#console/lib/visible-text.ts";
import type { Command } from "./commands.ts";

/**
 * What the present screen offers: the controls of the row with the focus and of the screen's header.
 * They are read from the page, so no screen has to register any.
 */
export function hereCommands(): readonly Command[] {
  const row = document.activeElement?.closest("main tr, main li");
  return [
    ...controlsIn(row, "This row"),
    ...controlsIn(document.querySelector("main header"), "This screen"),
  ];
}

function controlsIn(part: Element | null | undefined, group: Command["group"]): Command[] {
  const controls = part?.querySelectorAll<HTMLElement>("button:not([aria-disabled]), a[href]");
  return [...(controls ?? [])].flatMap((control, index) => {
    const label = control.ariaLabel ?? control.textContent.trim();
    return label === "" || !control.checkVisibility()
      ? []
      : [
          {
            id: `${group}-${index}`,
            group,
            label: visibleText(label),
            icon: MousePointerClick,
            run: { act: () => control.click() },
          },
        ];
  });
}
