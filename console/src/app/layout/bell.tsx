import { useQuery } from "@tanstack/react-query";
import { useSelector } from "@tanstack/react-store";
import { Bell as BellIcon } from "lucide-react";
import { useId, useRef, useState } from "react";
import {
  INBOX_POLL_MS,
  inboxQuery,
  useMarkRead,
} from "#console/features/notifications/inbox-queries.ts";
import inboxStyles from "#console/features/notifications/inbox.module.css";
import { usePolling } from "#console/lib/polling.ts";
import { IconButton } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { Time } from "#console/ui/time.tsx";
import { TOAST_ICONS } from "#console/ui/toast-region.tsx";
import { toast } from "#console/ui/toast-store.ts";
import styles from "./bell.module.css";
import { Inbox } from "./lazy-parts.ts";

const HEADING = classNames("tiny soft strong", styles.heading);

/** The administrator's notifications and this tab's messages: toasts disappear in seconds. */
export function Bell() {
  const id = useId();
  const panel = useRef<HTMLElement>(null);
  const [open, setOpen] = useState(false);
  const inbox = useQuery(inboxQuery());
  usePolling(inbox, INBOX_POLL_MS);
  const markRead = useMarkRead();
  const notifications = inbox.data?.notifications ?? [];
  const unread = inbox.data?.unread ?? 0;

  function toggle(isOpen: boolean) {
    setOpen(isOpen);
    if (isOpen) return;
    // Marked as read on closing, so that new ones stay highlighted while the panel is open.
    const ids = notifications.filter(({ read }) => !read).map((notification) => notification.id);
    if (ids.length > 0) markRead.mutate(ids);
  }
  const label = unread === 0 ? "Notifications and messages" : `Notifications, ${unread} unread`;
  return (
    <>
      <span className={styles.trigger}>
        <IconButton label={label} popoverTarget={id} aria-expanded={open}>
          <BellIcon />
        </IconButton>
        {unread > 0 && (
          <span className={classNames("centre", styles.count)} aria-hidden="true">
            {unread > 9 ? "9+" : unread}
          </span>
        )}
      </span>
      <section
        ref={panel}
        id={id}
        popover="auto"
        className={styles.panel}
        aria-label="Notifications and messages"
        onToggle={(event) => toggle(event.newState === "open")}
      >
        {open && (
          <>
            <h2 className={HEADING}>Notifications</h2>
            <Inbox notifications={notifications} onFollow={() => panel.current?.hidePopover()} />
            <h2 className={HEADING}>Messages of this tab</h2>
            <MessageHistory />
          </>
        )}
      </section>
    </>
  );
}

/** Messages shown in this tab. */
function MessageHistory() {
  const { history } = useSelector(toast.store);
  if (history.length === 0)
    return <p className={classNames("small faint", inboxStyles.empty)}>No messages yet.</p>;
  return (
    <ol className={classNames("small", inboxStyles.list)}>
      {history.map((message) => (
        <li
          key={`${message.id}-${message.atMs}`}
          className={classNames("anywhere", inboxStyles.item)}
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
