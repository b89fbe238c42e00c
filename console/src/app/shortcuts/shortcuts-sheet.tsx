import { useState } from "react";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { Dialog } from "#console/ui/dialog.tsx";
import { areSingleKeysOn, switchSingleKeys } from "./shortcuts.ts";
import styles from "./shortcuts-sheet.module.css";

type Shortcut = {
  readonly keys: readonly string[];
  readonly does: string;
};

const SHORTCUT_GROUPS: readonly {
  readonly title: string;
  readonly shortcuts: readonly Shortcut[];
}[] = [
  {
    title: "Everywhere",
    shortcuts: [
      { keys: ["Ctrl", "K"], does: "Find a screen or do something" },
      { keys: ["?"], does: "Show this list" },
      { keys: ["/"], does: "Search on this screen" },
      { keys: ["r"], does: "Refresh" },
    ],
  },
  {
    title: "Go to",
    shortcuts: [
      { keys: ["g", "d"], does: "Dashboard" },
      { keys: ["g", "u"], does: "Upload Monitor" },
      { keys: ["g", "f"], does: "Failed Uploads" },
      { keys: ["g", "b"], does: "File Browser" },
      { keys: ["g", "p"], does: "Users" },
      { keys: ["g", "n"], does: "Notifications" },
      { keys: ["g", "s"], does: "System" },
    ],
  },
  {
    title: "Upload Monitor",
    shortcuts: [
      { keys: ["l"], does: "Pause or resume live updates" },
      { keys: ["j"], does: "Next upload" },
      { keys: ["k"], does: "Previous upload" },
      { keys: ["Enter"], does: "Open or close its debug information" },
    ],
  },
];

export function ShortcutsSheet({ onClose }: { readonly onClose: () => void }) {
  const [on, setOn] = useState(areSingleKeysOn);
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <div className={styles.groups}>
        {SHORTCUT_GROUPS.map((group) => (
          <section key={group.title}>
            <h3 className={styles.title}>{group.title}</h3>
            <dl className={styles.list}>
              {group.shortcuts.map(({ keys, does }) => (
                <div key={does} className={styles.row}>
                  <dt>{does}</dt>
                  <dd className={styles.keys}>
                    {keys.map((key) => (
                      <kbd key={key} className={styles.key}>
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
        label="Single keys do something. Switch this off if software of yours types them."
      />
    </Dialog>
  );
}
