import { useQuery } from "@tanstack/react-query";
import { readWaitingWork, type WaitingWork } from "#contract/system.ts";
import { callQuery } from "#console/lib/call-query.ts";
import { useNow } from "#console/lib/clock.ts";
import { formatCount, formatPlural } from "#console/lib/format.ts";
import { usePolling } from "#console/lib/polling.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { Badge } from "#console/ui/badge.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { QueryCard } from "#console/ui/query-card.tsx";
import { Time } from "#console/ui/time.tsx";
import { LOGS_POLL_MS } from "./system-queries.ts";
import styles from "./system.module.css";

type Work = WaitingWork["items"][number];

/** What the service does by itself, and what holds it up. */
export function WaitingCard() {
  const waiting = usePolling(useQuery(callQuery(readWaitingWork)), LOGS_POLL_MS);
  return (
    <QueryCard
      title="Waiting Work"
      query={waiting}
      permission="read:system"
      intervalMs={LOGS_POLL_MS}
    >
      {({ items, total }) =>
        total === 0 ? (
          <EmptyState title="Nothing waits" />
        ) : (
          <>
            <ul
              className={classNames("ruled", styles.logs, styles.waiting)}
              aria-label="Waiting work"
            >
              {items.map((work, index) => (
                // Two may be about titles that are alike.
                // oxlint-disable-next-line react/no-array-index-key
                <WorkRow key={`${work.work} ${work.subject} ${index}`} work={work} />
              ))}
            </ul>
            {total > items.length && (
              <p className="note">And {formatCount(total - items.length)} more.</p>
            )}
          </>
        )
      }
    </QueryCard>
  );
}

function WorkRow({ work: { work, subject, attempts, error, ...state } }: { readonly work: Work }) {
  const isFailing = error !== null;
  return (
    <li className={classNames("small", styles.log)}>
      <span>
        <Badge tone={isFailing ? "warn" : state.isRunning ? "info" : "neutral"}>
          {isFailing ? "Failing" : state.isRunning ? "Running" : "Waiting"}
        </Badge>
      </span>
      <span className={classNames("anywhere", styles.message)}>
        {work}
        {subject !== null && `: ${visibleText(subject)}`}
        {isFailing && (
          <span className="soft">
            {" "}
            – {visibleText(error)} ({formatPlural(attempts, "try", "tries")})
          </span>
        )}
      </span>
      <span className={classNames("note nowrap", styles.when)}>
        <Due {...state} />
      </span>
    </li>
  );
}

function Due({ isRunning, dueAt }: Pick<Work, "isRunning" | "dueAt">) {
  const nowMs = useNow(10_000);
  if (isRunning) return "Now";
  return Date.parse(dueAt) <= nowMs ? "For a place" : <Time at={dueAt} />;
}
