import { useSelector } from "@tanstack/react-store";
import { classNames } from "#console/ui/class-names.ts";
import { Time } from "#console/ui/time.tsx";
import { TOAST_ICONS } from "#console/ui/toast-region.tsx";
import { toast } from "#console/ui/toast-store.ts";
import styles from "#console/features/notifications/inbox.module.css";

/** Messages shown in this tab. */
export function MessageHistory() {
  const { history } = useSelector(toast.store);
  if (history.length === 0) return <p className={styles.empty}>No messages yet.</p>;
  return (
    <ol className={styles.list}>
      {history.map((message) => (
        <li
          key={`${message.id}-${message.atMs}`}
          className={classNames(styles.item, styles[message.kind])}
        >
          {TOAST_ICONS[message.kind]}
          <span>{message.text}</span>
          <small>
            <Time at={new Date(message.atMs).toISOString()} />
          </small>
        </li>
      ))}
    </ol>
  );
}
