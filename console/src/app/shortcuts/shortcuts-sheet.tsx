import { useState } from "react";
import { Checkbox } from "#console/ui/checkbox.tsx";
import { Dialog } from "#console/ui/dialog.tsx";
import { areSingleKeysOn, SHORTCUT_GROUPS, switchSingleKeys } from "./shortcuts.ts";
import styles from "./shortcuts-sheet.module.css";

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
