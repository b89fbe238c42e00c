import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleCheck, CircleX, CloudDownload, TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { DataOf } from "#contract/call.ts";
import type { SystemMetrics } from "#contract/system.ts";
import type { Upload } from "#contract/upload.ts";
import type { listFailedUploads } from "#contract/uploads.ts";
import { ArchiveLink } from "#console/domain/uploads/archive-link.tsx";
import { FailureGroup } from "#console/domain/uploads/failure-groups.tsx";
import { UploadProgress } from "#console/domain/uploads/upload-progress.tsx";
import { FAILED_POLL_MS } from "#console/domain/uploads/upload-queries.ts";
import type { UploadPage } from "#console/domain/uploads/uploads-view.ts";
import { formatCount } from "#console/lib/format.ts";
import { useCan } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { buttonClassName } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { EmptyState } from "#console/ui/empty-state.tsx";
import layout from "#console/ui/layout.module.css";
import { Panels } from "#console/ui/panels.tsx";
import { QueryCard } from "#console/ui/query-card.tsx";
import { Skeleton } from "#console/ui/skeleton.tsx";
import type { AttentionItem } from "./attention.ts";
import { METRICS_POLL_MS, RECENT_POLL_MS } from "./dashboard-queries.ts";
import styles from "./dashboard.module.css";

/** Rows of each card. */
const ROWS = 8;

type WorkQueries = {
  readonly running: UseQueryResult<UploadPage>;
  /** Of those that are not waiting for a place; undefined until it is known. */
  readonly count: number | undefined;
  readonly failed: UseQueryResult<DataOf<typeof listFailedUploads>>;
  readonly metrics: UseQueryResult<SystemMetrics>;
  readonly problems: readonly AttentionItem[];
  /** Something above the fold is still to come. */
  readonly isLoading: boolean;
};

/** What is running, and what needs attention. */
export function WorkCards(work: WorkQueries) {
  return (
    <Panels>
      {useCan("read:uploads") && <RunningCard {...work} />}
      <AttentionCard {...work} />
    </Panels>
  );
}

function RunningCard({ running, count = 0, problems, isLoading }: WorkQueries) {
  const mayCancel = useCan("write:uploads");
  return (
    <QueryCard
      title={count === 0 ? "Running Now" : `Running Now (${formatCount(count)})`}
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
          isLoading={isLoading}
          empty={
            <EmptyState
              icon={<CloudDownload />}
              title="Nothing is running"
              action={<ArchiveLink />}
            />
          }
        >
          {items
            .toSorted(waitingLast)
            .slice(0, ROWS)
            .map((upload) => (
              <li key={upload.id} className={styles.running}>
                <span className={classNames(layout.stack, layout.gap0, layout.fill)}>
                  <Link to="/uploads" search={{ upload: upload.id }} className={layout.oneLine}>
                    {visibleText(upload.metadata.streamTitle ?? upload.filename)}
                  </Link>
                  <small className={classNames(layout.oneLine, layout.soft)}>
                    {visibleText(upload.owner?.displayName ?? upload.filename)}
                  </small>
                </span>
                <UploadProgress upload={withoutKnown(upload, problems)} />
                {mayCancel && (
                  <Link
                    to="/uploads"
                    search={{ upload: upload.id, act: "cancel" }}
                    className={classNames(layout.centre, layout.faint, styles.cancel)}
                    aria-label={`Cancel ${visibleText(upload.metadata.streamTitle ?? upload.filename)}`}
                  >
                    <CircleX aria-hidden="true" />
                  </Link>
                )}
              </li>
            ))}
        </Rows>
      )}
    </QueryCard>
  );
}

/** The cause of an outage stands once, under what needs attention. */
function withoutKnown(upload: Upload, problems: WorkQueries["problems"]): Upload {
  const cause = upload.errorMessage?.replace(/\.$/, "");
  const isKnown = cause !== undefined && problems.some(({ text }) => text.includes(cause));
  return isKnown ? { ...upload, errorMessage: "Waiting, see Needs Attention" } : upload;
}

function waitingLast(one: Upload, other: Upload): number {
  return Number(one.phase === "waiting") - Number(other.phase === "waiting");
}

function AttentionCard({ failed, metrics, problems, isLoading }: WorkQueries) {
  const mayRead = useCan("read:uploads");
  const mayReadSystem = useCan("read:system");
  const query: UseQueryResult = mayRead ? failed : metrics;
  if (!mayRead && !mayReadSystem) return null;
  return (
    <QueryCard
      title="Needs Attention"
      query={query}
      permission={mayRead ? "read:uploads" : "read:system"}
      intervalMs={mayRead ? FAILED_POLL_MS : METRICS_POLL_MS}
      skeleton={<WorkPlaceholder />}
      actions={
        mayRead && (
          <Link to="/uploads/failed" className={buttonClassName("quiet")}>
            View all
          </Link>
        )
      }
    >
      {() => (
        <Rows
          isLoading={isLoading}
          empty={<EmptyState icon={<CircleCheck />} title="Nothing needs attention" />}
        >
          {[
            ...problems.map(({ id, text, bad, ...target }) => (
              <li key={id} className={styles.problem}>
                {bad ? (
                  <CircleAlert aria-hidden="true" color="var(--bad)" />
                ) : (
                  <TriangleAlert aria-hidden="true" color="var(--warn)" />
                )}
                <Link {...target}>{text}</Link>
              </li>
            )),
            ...(failed.data?.groups ?? []).flatMap((group) =>
              group.isRecent
                ? [
                    <FailureGroup
                      key={`cause ${group.failureClass}`}
                      group={group}
                      search={{ cause: group.failureClass }}
                    />,
                  ]
                : [],
            ),
          ].slice(0, ROWS)}
        </Rows>
      )}
    </QueryCard>
  );
}

function Rows({
  isLoading,
  empty,
  children,
}: {
  readonly isLoading: boolean;
  readonly empty: ReactNode;
  readonly children: readonly ReactNode[];
}) {
  if (isLoading) return <WorkPlaceholder />;
  return (
    <div className={styles.rows}>
      {children.length === 0 ? (
        empty
      ) : (
        <ul className={classNames(layout.ruled, layout.small)}>{children}</ul>
      )}
    </div>
  );
}

function WorkPlaceholder() {
  return (
    <div className={classNames(layout.ruled, styles.rows)} aria-hidden="true">
      {Array.from({ length: ROWS }, (_row, row) => (
        <div key={row} className={styles.running}>
          <Skeleton width={`${70 - 5 * row}%`} />
        </div>
      ))}
    </div>
  );
}
