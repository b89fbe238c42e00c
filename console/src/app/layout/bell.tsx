import { Bell as BellIcon } from "lucide-react";
import { useId, useState, useSyncExternalStore } from "react";
import { IconButton } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { Time } from "#console/ui/time.tsx";
import { TOAST_ICONS } from "#console/ui/toast-region.tsx";
import { toast } from "#console/ui/toast-store.ts";
import styles from "./bell.module.css";

/** What was said in this tab; toasts are gone after seconds. */
export function Bell() {
  const id = useId();
  const [open, setOpen] = useState(false);
  const { history, unseen } = useSyncExternalStore(toast.subscribe, toast.state);
  const label = unseen === 0 ? "Recent messages" : `Recent messages, ${unseen} new`;
  return (
    <>
      <span className={styles.trigger}>
        <IconButton label={label} popoverTarget={id} aria-expanded={open}>
          <BellIcon />
        </IconButton>
        {unseen > 0 && (
          <span className={styles.count} aria-hidden="true">
            {unseen > 9 ? "9+" : unseen}
          </span>
        )}
      </span>
      <section
        id={id}
        popover="auto"
        className={styles.panel}
        aria-label="Recent messages"
        onToggle={(event) => {
          setOpen(event.newState === "open");
          toast.markSeen();
        }}
      >
        {open && <History history={history} />}
      </section>
    </>
  );
}

function History({ history }: { readonly history: ReturnType<typeof toast.state>["history"] }) {
  return (
    <>
      <h2 className={styles.heading}>Recent messages</h2>
      {history.length === 0 ? (
        <p className={styles.empty}>Nothing has been said in this tab yet.</p>
      ) : (
        <ol className={styles.list}>
          {history.map((message) => (
            <li
              key={`${message.id}-${message.atMs}`}
              className={classNames(styles.item, styles[message.kind])}
            >
              {TOAST_ICONS[message.kind]}
              <span>{message.text}</span>
              <Time at={new Date(message.atMs).toISOString()} />
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
