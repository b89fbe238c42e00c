import { useState } from "react";
import { areSingleKeysOn, switchSingleKeys } from "#console/lib/single-keys.ts";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { Dialog } from "#console/ui/dialog.tsx";
import { NAVIGATION } from "../screens.ts";
import styles from "./shortcuts-sheet.module.css";

type Shortcut = { readonly keys: readonly string[]; readonly does: string };

const SHORTCUT_GROUPS: readonly {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}[] = [
  {
    title: "Everywhere",
    shortcuts: [
      { keys: ["Ctrl", "K"], does: "Search screens, videos and commands" },
      { keys: ["→"], does: "More actions on what was found" },
      { keys: ["?"], does: "Show this list" },
      { keys: ["/"], does: "Search on this screen" },
      { keys: ["r"], does: "Refresh" },
    ],
  },
  {
    title: "Go to",
    shortcuts: NAVIGATION.map(({ key = "", label }) => ({ keys: ["g", key], does: label })),
  },
  {
    title: "Upload Monitor",
    shortcuts: [
      { keys: ["l"], does: "Pause or resume live updates" },
      { keys: ["j"], does: "Next upload" },
      { keys: ["k"], does: "Previous upload" },
      { keys: ["Enter"], does: "Open it, with its actions and all that is known" },
    ],
  },
  {
    title: "Watching a video",
    shortcuts: [
      { keys: ["Space", "k"], does: "Play or pause" },
      { keys: ["j", "l"], does: "Back or forward 10 seconds" },
      { keys: ["←", "→"], does: "Back or forward 5 seconds" },
      { keys: ["↑", "↓"], does: "Volume, while the player has the focus" },
      { keys: ["m"], does: "Mute" },
      { keys: ["f"], does: "Full screen" },
      { keys: ["t"], does: "Theater mode" },
      { keys: ["c"], does: "Hide or show the chat, in both" },
      { keys: [",", "."], does: "Previous or next frame, while paused" },
      { keys: ["<", ">"], does: "Slower or faster" },
      { keys: ["i", "o"], does: "Start or end of a clip" },
      { keys: ["P", "N"], does: "Previous or next video of the channel" },
      { keys: ["0", "9"], does: "Go to 0% to 90%" },
    ],
  },
];

export function ShortcutsSheet({ onClose }: { readonly onClose: () => void }) {
  const [on, setOn] = useState(areSingleKeysOn);
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div className="stack gap4">
        {SHORTCUT_GROUPS.map((group) => (
          <section key={group.title} className="stack gap1">
            <h3 className="tiny soft">{group.title}</h3>
            <dl>
              {group.shortcuts.map(({ keys, does }) => (
                <div key={does} className={classNames("row gap3 small", styles.row)}>
                  <dt>{does}</dt>
                  <dd className="row gap1">
                    {keys.map((key) => (
                      <kbd key={key} className={classNames("centre", styles.key)}>
                        {key}
                      </kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
      <Checkbox
        checked={on}
        onChange={(next) => {
          switchSingleKeys(next);
          setOn(next);
        }}
        label="Enable single-key shortcuts. Turn this off if your software types single keys."
      />
    </Dialog>
  );
}
