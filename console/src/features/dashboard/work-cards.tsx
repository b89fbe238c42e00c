import type { UseQueryResult } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { CircleAlert, CircleX, TriangleAlert } from "lucide-react";
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
import { useCan } from "#console/lib/session.ts";
import { visibleText } from "#console/lib/visible-text.ts";
import { buttonClassName } from "#console/ui/button.tsx";
import { classNames } from "#console/ui/class-names.ts";
import { QueryCard } from "#console/ui/query-card.tsx";
import { Skeleton } from "#console/ui/skeleton.tsx";
import type { AttentionItem } from "./attention.ts";
import { METRICS_POLL_MS, RECENT_POLL_MS } from "./dashboard-queries.ts";
import styles from "./dashboard.module.css";

/** Rows of each card; more are on the screens that its header leads to. */
const ROWS = 5;

type WorkQueries = {
  readonly running: UseQueryResult<UploadPage>;
  readonly failed: UseQueryResult<DataOf<typeof listFailedUploads>>;
  readonly metrics: UseQueryResult<SystemMetrics>;
  readonly problems: readonly AttentionItem[];
  /** Something above the fold is still to come. */
  readonly isLoading: boolean;
};

/** What is running, and what needs attention. */
export function WorkCards(work: WorkQueries) {
  return (
    <div className={classNames("stack gap4", styles.work)}>
      {useCan("read:uploads") && <RunningCard {...work} />}
      <AttentionCard {...work} />
    </div>
  );
}

function RunningCard({ running, problems, isLoading }: WorkQueries) {
  const mayCancel = useCan("write:uploads");
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
          isLoading={isLoading}
          empty={
            <>
              <span>Nothing is running</span> <ArchiveLink />
            </>
          }
        >
          {items
            .toSorted(waitingLast)
            .slice(0, ROWS)
            .map((upload) => (
              <li key={upload.id} className={styles.running}>
                <Link to="/uploads" search={{ upload: upload.id }} className="oneLine">
                  {visibleText(upload.metadata.streamTitle ?? upload.filename)}
                </Link>
                <UploadProgress upload={withoutKnown(upload, problems)} />
                {mayCancel && (
                  <Link
                    to="/uploads"
                    search={{ upload: upload.id, act: "cancel" }}
                    className={classNames("centre faint", styles.cancel)}
                    aria-label={`Cancel ${visibleText(upload.metadata.streamTitle ?? upload.filename)}`}
                  >
                    <CircleX />
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
        <Rows isLoading={isLoading} empty="Nothing needs attention">
          {[
            ...problems.map(({ id, text, verb, bad, ...target }) => (
              <li key={id}>
                <Link {...target} className={styles.problem}>
                  {bad ? <CircleAlert color="var(--bad)" /> : <TriangleAlert color="var(--warn)" />}
                  <span className="oneLine" title={text}>
                    {text}
                  </span>{" "}
                  <span className={styles.verb}>{verb}</span>
                </Link>
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
  if (children.length === 0)
    return <p className={classNames("wrap small soft", styles.nothing)}>{empty}</p>;
  return <ul className={classNames("ruled small", styles.rows)}>{children}</ul>;
}

function WorkPlaceholder() {
  return (
    <div className={classNames("ruled", styles.rows)} aria-hidden="true">
      {Array.from({ length: ROWS }, (_row, row) => (
        <div key={row} className={styles.running}>
          <Skeleton width={`${70 - 5 * row}%`} />
        </div>
      ))}
    </div>
  );
}
