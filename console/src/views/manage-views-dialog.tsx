import { Trash2 } from "lucide-react";
import type { SavedView } from "#contract/views.ts";
import { BASE_PATH } from "#console/lib/base-path.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Button, IconButton } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { CopyButton } from "#console/ui/copy-button.tsx";
import { Dialog } from "#console/ui/dialog.tsx";
import layout from "#console/ui/layout.module.css";
import styles from "./saved-views.module.css";
import { addressOfView, useViewActions } from "./view-queries.ts";

/** The saved views of one list, with their addresses to share; each can be deleted. */
export function ManageViewsDialog({
  views,
  onClose,
}: {
  readonly views: readonly SavedView[];
  readonly onClose: () => void;
}) {
  const { remove } = useViewActions();
  return (
    <Dialog title="Saved views" onClose={onClose} footer={<Button onClick={onClose}>Done</Button>}>
      {views.length === 0 && <p>There are no saved views for this list.</p>}
      <ul className={layout.ruled}>
        {views.map((view) => {
          const name = visibleText(view.name);
          const address = addressOfView(view);
          return (
            <li key={view.id} className={classNames(layout.row, styles.view)}>
              <span className={classNames(layout.fill, layout.anywhere)}>
                <strong>{name}</strong>
                <br />
                <code className={layout.note}>{visibleText(address)}</code>
              </span>
              <CopyButton
                text={new URL(BASE_PATH + address, window.location.origin).href}
                label={`Copy address of ${name}`}
              />
              <IconButton
                label={`Delete view ${name}`}
                busy={remove.isPending && remove.variables === view.id}
                onClick={() => remove.mutate(view.id)}
              >
                <Trash2 />
              </IconButton>
            </li>
          );
        })}
      </ul>
    </Dialog>
  );
}
