import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheck, CloudDownload, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { SystemMetrics } from "#contract/system.ts";
import type { Upload } from "#contract/upload.ts";
import { ArchiveLink } from "#console/domain/uploads/archive-link.tsx";
import { useLiveUpdates } from "#console/domain/uploads/live-updates.ts";
import { UploadProgress } from "#console/domain/uploads/upload-progress.tsx";
import { FAILED_POLL_MS } from "#console/domain/uploads/upload-queries.ts";
import { usePolling } from "#console/lib/polling.ts";
import { useCan } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { buttonClassName } from "#console/ui/button.tsx";
import { EmptyState } from "#console/ui/empty-state.tsx";
import { Panels } from "#console/ui/panels.tsx";
import { QueryCard } from "#console/ui/query-card.tsx";
import { Skeleton } from "#console/ui/skeleton.tsx";
import { Time } from "#console/ui/time.tsx";
import { attentionItems } from "./attention.ts";
import { alertsQuery, budgetsQuery, monthlyBudget } from "./costs/cost-queries.ts";
import { failedQuery, RECENT_POLL_MS, runningQuery } from "./dashboard-queries.ts";
import styles from "./work.module.css";

/** Rows of each card; its height is theirs, however many there are. */
const ROWS = 3;

/** What is running, and what needs attention. */
export function WorkCards({ metrics }: { readonly metrics: UseQueryResult<SystemMetrics> }) {
  return (
    <Panels>
      <RunningCard />
      <AttentionCard metrics={metrics} />
    </Panels>
  );
}

function RunningCard() {
  const mayRead = useCan("read:uploads");
  const running = useQuery(runningQuery(mayRead));
  useLiveUpdates(mayRead ? 0 : null);
  // Also with a live stream, which does not replay what happened before it was open.
  usePolling(running, mayRead && RECENT_POLL_MS);
  return (
    <QueryCard
      title="Running Now"
      query={running}
      permission="read:uploads"
      intervalMs={RECENT_POLL_MS}
      skeleton={<WorkPlaceholder />}
      actions={
        <Link to="/uploads" search={{ status: "processing" }} className={buttonClassName("quiet")}>
          View all
        </Link>
      }
    >
      {({ items }) => (
        <Rows
          empty={
            <EmptyState
              icon={<CloudDownload />}
              title="Nothing is running"
              action={<ArchiveLink />}
            />
          }
        >
          {items.slice(0, ROWS).map((upload) => (
            <li key={upload.id} className={styles.running}>
              <span className={styles.name}>
                <UploadLink upload={upload} />
                <small>{visibleText(upload.filename)}</small>
              </span>
              <UploadProgress upload={upload} />
            </li>
          ))}
        </Rows>
      )}
    </QueryCard>
  );
}

function AttentionCard({ metrics }: { readonly metrics: UseQueryResult<SystemMetrics> }) {
  const mayRead = useCan("read:uploads");
  const mayReadSystem = useCan("read:system");
  const failed = useQuery(failedQuery(mayRead));
  usePolling(failed, mayRead && FAILED_POLL_MS);
  const alerts = useQuery({ ...alertsQuery(), enabled: mayReadSystem });
  const budget = useQuery({ ...budgetsQuery(), enabled: mayReadSystem });
  const problems = attentionItems(metrics.data, {
    budget: monthlyBudget(budget.data),
    alerts: alerts.data?.unacknowledged ?? 0,
  }).slice(0, ROWS);
  return (
    <QueryCard
      title="Needs Attention"
      query={failed}
      permission="read:uploads"
      intervalMs={FAILED_POLL_MS}
      skeleton={<WorkPlaceholder />}
      actions={
        <Link to="/uploads/failed" className={buttonClassName("quiet")}>
          View all
        </Link>
      }
    >
      {({ items }) => (
        <Rows empty={<EmptyState icon={<CircleCheck />} title="Nothing needs attention" />}>
          {[
            ...problems.map(({ id, text, bad, ...target }) => (
              <li key={id} className={styles.problem} data-bad={bad}>
                {bad ? <CircleAlert aria-hidden="true" /> : <TriangleAlert aria-hidden="true" />}
                <Link {...target}>{text}</Link>
              </li>
            )),
            ...items.slice(0, ROWS - problems.length).map((upload) => (
              <li key={upload.id} className={styles.problem} data-bad="true">
                <CircleAlert aria-hidden="true" />
                <span className={styles.name}>
                  <UploadLink upload={upload} />
                  <small title={visibleText(upload.errorMessage ?? "Failed")}>
                    {visibleText(upload.errorMessage ?? "Failed")}
                  </small>
                </span>
                <small>
                  <Time at={upload.failedAt} />
                </small>
              </li>
            )),
          ]}
        </Rows>
      )}
    </QueryCard>
  );
}

function Rows({
  empty,
  children,
}: {
  readonly empty: ReactNode;
  readonly children: readonly ReactNode[];
}) {
  return <div className={styles.rows}>{children.length === 0 ? empty : <ul>{children}</ul>}</div>;
}

function WorkPlaceholder() {
  return (
    <div className={styles.rows} aria-hidden="true">
      {[60, 45, 70].map((percent) => (
        <div key={percent} className={styles.running}>
          <Skeleton width={`${percent}%`} />
        </div>
      ))}
    </div>
  );
}

function UploadLink({ upload }: { readonly upload: Upload }) {
  return (
    <Link to="/uploads" search={{ upload: upload.id }}>
      {visibleText(upload.metadata.streamTitle ?? upload.filename)}
    </Link>
  );
}
