import { useRouter } from "@tanstack/react-router";
import { CircleAlert, Info, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { BrowserNotification } from "#contract/browser-notifications.ts";
import type { Severity } from "#contract/notification-events.ts";
import { BASE_PATH } from "#console/lib/base-path.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { classNames } from "#console/ui/class-names.ts";
import { Time } from "#console/ui/time.tsx";
import styles from "./inbox.module.css";

const ICONS: Readonly<Record<Severity, ReactNode>> = {
  critical: <CircleAlert aria-label="Critical" role="img" color="var(--bad)" />,
  high: <TriangleAlert aria-label="High" role="img" color="var(--alert)" />,
  medium: <TriangleAlert aria-label="Medium" role="img" color="var(--warn)" />,
  low: <Info aria-label="Low" role="img" color="var(--info)" />,
};

/** The latest notifications of the browser channel. */
export function Inbox({
  notifications,
  onFollow,
}: {
  readonly notifications: readonly BrowserNotification[];
  /** Called when a notification's link is followed. */
  readonly onFollow: () => void;
}) {
  if (notifications.length === 0) {
    return (
      <p className={classNames("small faint", styles.empty)}>
        No notifications. Choose events on the Notifications screen.
      </p>
    );
  }
  return (
    <ol className={classNames("small", styles.list)}>
      {notifications.map((notification) => (
        <li
          key={notification.id}
          className={classNames("anywhere", styles.item)}
          data-unread={!notification.read}
        >
          {ICONS[notification.severity]}
          <span className="strong">
            <Title notification={notification} onFollow={onFollow} />
          </span>
          <small>
            <Time at={notification.createdAt} />
          </small>
          <p className={classNames("tiny soft", styles.body)}>{visibleText(notification.body)}</p>
        </li>
      ))}
    </ol>
  );
}

function Title({
  notification,
  onFollow,
}: {
  readonly notification: BrowserNotification;
  readonly onFollow: () => void;
}) {
  const router = useRouter();
  const { link } = notification;
  const title = visibleText(notification.title);
  // Only console paths: the service creates them, but addresses are never trusted.
  if (link === null || !link.startsWith("/") || link.startsWith("//")) return title;
  return (
    <a
      href={BASE_PATH + link}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        onFollow();
        void router.navigate({ href: link });
      }}
    >
      {title}
    </a>
  );
}
