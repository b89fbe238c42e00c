import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useSelector } from "@tanstack/react-store";
import { useState } from "react";
import { CloudUpload, Command, LogOut, Menu } from "lucide-react";
import type { Admin } from "#contract/auth.ts";
import { inboxQuery } from "#console/features/notifications/inbox-queries.ts";
import { formatPlural } from "#console/lib/format.ts";
import { usePolling } from "#console/lib/polling.ts";
import { serverStatus, useServerStatus, type ServerStatus } from "#console/lib/server-status.ts";
import { unsentFiles } from "#console/lib/unsent-files.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Avatar } from "#console/ui/avatar.tsx";
import { IconButton } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { lazyDialog, waitingDialog } from "#console/ui/dialog.tsx";
import layout from "#console/ui/layout.module.css";
import { VisuallyHidden } from "#console/ui/visually-hidden.tsx";
import { useSignOut } from "../use-sign-out.ts";
import { Bell } from "./bell.tsx";
import styles from "./top-bar.module.css";

const SessionsDialog = lazyDialog(
  async () => (await import("./sessions-dialog.tsx")).SessionsDialog,
  waitingDialog("side"),
);

export function TopBar({
  admin,
  onOpenNavigation,
  onOpenPalette,
}: {
  readonly admin: Admin;
  readonly onOpenNavigation: () => void;
  readonly onOpenPalette: () => void;
}) {
  const status = useSystemStatus();
  const { signOut, signingOut } = useSignOut();
  const [showsSessions, setShowsSessions] = useState(false);
  return (
    <>
      <header className={classNames(layout.row, styles.bar)}>
        <span className={styles.menu}>
          <IconButton label="Open navigation" aria-haspopup="dialog" onClick={onOpenNavigation}>
            <Menu />
          </IconButton>
        </span>
        <p
          className={classNames(layout.row, layout.small, layout.soft, styles.status)}
          role="status"
        >
          <span
            className={classNames(styles.dot, status !== "Online" && styles.away)}
            aria-hidden="true"
          />
          <span>System Status: {status}</span>
        </p>
        <UnsentFiles />
        <span className={styles.commands}>
          <button
            type="button"
            className={layout.row}
            aria-label="Commands Ctrl K"
            aria-haspopup="dialog"
            aria-keyshortcuts="Control+K Meta+K"
            onClick={onOpenPalette}
          >
            <Command aria-hidden="true" />
            <span>Commands</span> <kbd>Ctrl K</kbd>
          </button>
        </span>
        <Bell />
        <button
          type="button"
          className={classNames(layout.row, styles.who)}
          title="Your Sessions"
          aria-haspopup="dialog"
          onClick={() => setShowsSessions(true)}
        >
          <Avatar name={admin.displayName} imageUrl={admin.profileImageUrl} size={30} />
          <span className={styles.names}>
            <span className={classNames(layout.small, layout.strong, layout.oneLine)}>
              {visibleText(admin.displayName)}
            </span>
            <span className={classNames(layout.note, layout.oneLine, styles.role)}>
              Administrator
            </span>
          </span>
          <VisuallyHidden>: your sessions</VisuallyHidden>
        </button>
        <IconButton label="Logout" busy={signingOut} onClick={signOut}>
          <LogOut />
        </IconButton>
      </header>
      {showsSessions && <SessionsDialog onClose={() => setShowsSessions(false)} />}
    </>
  );
}

/** Leads to the files that this browser is sending. */
function UnsentFiles() {
  const { count, percent, isRunning } = useSelector(unsentFiles);
  if (count === 0) return null;
  const files = formatPlural(count, "file");
  return (
    <Link
      to="/uploads"
      search={{ archive: "new" }}
      className={classNames(layout.row, styles.unsent)}
    >
      <CloudUpload aria-hidden="true" />
      <span>{isRunning ? `Sending ${files}` : `${files} not sent`}</span> {percent}%
    </Link>
  );
}

/** What the server's status waits for is counted in seconds. */
const CHECK_EVERY_MS = 1_000;
const check = {
  refetch: async () => {
    if (navigator.onLine) await serverStatus.check();
  },
};

/** Online only while the server answers and nothing is unhealthy. Only the bell asks for the answer. */
function useSystemStatus(): ServerStatus | "Unhealthy" {
  const { data } = useQuery({ ...inboxQuery(), enabled: false });
  const status = useServerStatus();
  usePolling(check, CHECK_EVERY_MS);
  return status === "Online" && data?.systemStatus === "unhealthy" ? "Unhealthy" : status;
}
