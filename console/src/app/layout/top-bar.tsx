import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useSelector } from "@tanstack/react-store";
import { useState } from "react";
import { CloudUpload, Command, LogOut, Menu } from "lucide-react";
import type { Admin } from "#contract/auth.ts";
import { inboxQuery } from "#console/features/notifications/inbox-queries.ts";
import { formatPlural } from "#console/lib/format.ts";
import { usePolling } from "#console/lib/polling.ts";
import { serverStatus, useServerStatus } from "#console/lib/server-status.ts";
import { unsavedFiles, unsentFiles } from "#console/lib/transfers.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Avatar } from "#console/ui/avatar.tsx";
import { IconButton } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { VisuallyHidden } from "#console/ui/visually-hidden.tsx";
import { useSignOut } from "../use-sign-out.ts";
import { Bell } from "./bell.tsx";
import { FileSavesDialog } from "./lazy-parts.ts";
import { Notices } from "./notices.tsx";
import styles from "./top-bar.module.css";

export function TopBar({
  admin,
  onOpenNavigation,
  onOpenPalette,
}: {
  readonly admin: Admin;
  readonly onOpenNavigation: () => void;
  readonly onOpenPalette: () => void;
}) {
  const { signOut, signingOut } = useSignOut();
  const [showsSaves, setShowsSaves] = useState(false);
  return (
    <>
      <header className={classNames("row", styles.bar)}>
        <span className={styles.menu}>
          <IconButton label="Open navigation" aria-haspopup="dialog" onClick={onOpenNavigation}>
            <Menu />
          </IconButton>
        </span>
        <SystemStatus />
        <Notices />
        <UnsentFiles />
        <UnsavedFiles onOpen={() => setShowsSaves(true)} />
        <span className={styles.commands}>
          <button
            type="button"
            className="row"
            aria-label="Commands Ctrl K"
            aria-haspopup="dialog"
            aria-keyshortcuts="Control+K Meta+K"
            onClick={onOpenPalette}
          >
            <Command />
            <span>Commands</span> <kbd>Ctrl K</kbd>
          </button>
        </span>
        <Bell />
        <Link
          to="/notifications"
          search={{ view: "sessions" }}
          className={classNames("row", styles.who)}
          title="Your Sessions"
        >
          <Avatar name={admin.displayName} imageUrl={admin.profileImageUrl} size={30} />
          <span className={styles.names}>
            <span className="small strong oneLine">{visibleText(admin.displayName)}</span>
            <span className={classNames("note oneLine", styles.role)}>Administrator</span>
          </span>
          <VisuallyHidden>: your sessions</VisuallyHidden>
        </Link>
        <IconButton label="Logout" busy={signingOut} onClick={signOut}>
          <LogOut />
        </IconButton>
      </header>
      {showsSaves && <FileSavesDialog onClose={() => setShowsSaves(false)} />}
    </>
  );
}

/** Leads to the files that this browser is sending. */
function UnsentFiles() {
  const { count, text } = useTransfers(unsentFiles, "Sending", "sent");
  if (count === 0) return null;
  return (
    <Link to="/uploads" search={{ archive: "new" }} className={classNames("row", styles.unsent)}>
      <CloudUpload />
      {text}
    </Link>
  );
}

/** Opens the list of files that this browser saves. */
function UnsavedFiles({ onOpen }: { readonly onOpen: () => void }) {
  const { count, text } = useTransfers(unsavedFiles, "Saving", "saved");
  if (count === 0) return null;
  return (
    <button type="button" className={classNames("row", styles.unsent)} onClick={onOpen}>
      {text}
    </button>
  );
}

function useTransfers(of: typeof unsentFiles, doing: string, done: string) {
  const { count, percent, isRunning } = useSelector(of);
  const files = formatPlural(count, "file");
  const text = (
    <>
      <span>{isRunning ? `${doing} ${files}` : `${files} not ${done}`}</span> {percent}%
    </>
  );
  return { count, text };
}

/** What the server's status waits for is counted in seconds. */
const CHECK_EVERY_MS = 1_000;
const check = {
  refetch: async () => {
    if (navigator.onLine) await serverStatus.check();
  },
};

/** Online only while the server answers and nothing is unhealthy. Only the bell asks for the answer. */
function SystemStatus() {
  const { data } = useQuery({ ...inboxQuery(), enabled: false });
  const server = useServerStatus();
  usePolling(check, CHECK_EVERY_MS);
  const status = server === "Online" && data?.systemStatus === "unhealthy" ? "Unhealthy" : server;
  return (
    <p className={classNames("row small soft", styles.status)} role="status">
      <span
        className={classNames("dot", styles.dot, status !== "Online" && styles.away)}
        aria-hidden="true"
      />
      <span>System Status: {status}</span>
    </p>
  );
}
