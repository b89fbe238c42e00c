import { History, Pause, Play } from "lucide-react";
import { Fragment } from "react";
import type { LiveState } from "#console/domain/uploads/live-updates.ts";
import { formatTime } from "#console/lib/format.ts";
import { useServerStatus } from "#console/lib/server-status.ts";
import { Badge } from "#console/ui/badge.tsx";
import { Button } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import styles from "./live-toggle.module.css";

const LABELS: Readonly<Record<LiveState, string>> = {
  connected: "Live",
  connecting: "Connecting...",
  disconnected: "Disconnected",
  lost: "Disconnected",
};

/**
 * While only the stream is lost: how old the list is, to the second. `updatedAtMs` is 0 without one.
 * The top bar says for every screen when the server is away.
 */
export function Reconnecting({ updatedAtMs }: { readonly updatedAtMs: number }) {
  if (useServerStatus() !== "Online") return null;
  return (
    <Badge tone="warn" icon={<History />}>
      Reconnecting{updatedAtMs > 0 && ` · last update ${formatTime(new Date(updatedAtMs))}`}
    </Badge>
  );
}

export function LiveToggle({
  state,
  live,
  onToggle,
}: {
  readonly state: LiveState;
  readonly live: boolean;
  readonly onToggle: () => void;
}) {
  return (
    <>
      <span
        className={classNames("row end small soft strong nowrap", styles.indicator, styles[state])}
        role="status"
      >
        {/* New elements for each state: moving the old ones would be a layout shift. */}
        <Fragment key={state}>
          <span className={classNames("dot faint", styles.dot)} aria-hidden="true" />
          {LABELS[state]}
        </Fragment>
      </span>
      <Button
        icon={live ? <Pause /> : <Play />}
        aria-keyshortcuts="l"
        data-shortcut="live"
        onClick={onToggle}
      >
        {live ? "Pause Live Updates" : "Resume Live Updates"}
      </Button>
    </>
  );
}
