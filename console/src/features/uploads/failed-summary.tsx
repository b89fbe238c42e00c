import type { DataOf } from "#contract/call.ts";
import type { listFailedUploads } from "#contract/uploads.ts";
import { FailureGroup } from "#console/domain/uploads/failure-groups.tsx";
import { formatCount } from "#console/lib/format.ts";
import { Card } from "#console/ui/card.tsx";
import { Figures } from "#console/ui/figures.tsx";
import { Skeleton } from "#console/ui/skeleton.tsx";
import styles from "./failed-uploads.module.css";
import type { FailedSearch } from "./uploads-search.ts";

/** All failed uploads in numbers that add up, and by cause, regardless of the search. */
export function FailedSummary({
  data,
  search: { cause, ...view },
}: {
  /** Undefined until the first answer. */
  readonly data: Pick<DataOf<typeof listFailedUploads>, "summary" | "groups"> | undefined;
  readonly search: FailedSearch;
}) {
  const summary = data?.summary;
  const searchOf = (one: FailedSearch["cause"]) => ({
    ...view,
    page: undefined,
    cause: one === cause ? undefined : one,
  });
  const totals = [
    { name: "Total Failed", value: summary && formatCount(summary.totalFailed) },
    { name: "Can Retry", value: summary && formatCount(summary.canRetry) },
    { name: "Max Retries", value: summary && formatCount(summary.maxRetriesReached) },
    { name: "Gone", value: summary && formatCount(summary.retryCannotHelp) },
  ];
  return (
    <Card key={String(data === undefined)}>
      <Figures look="line" className={styles.totals} figures={totals} />
      {data === undefined ? (
        <div className={styles.groups} data-skeleton="" aria-hidden="true">
          <Skeleton width="70%" />
          <Skeleton width="60%" />
        </div>
      ) : (
        data.groups.length > 0 && (
          <ul className={styles.groups} aria-label="Failures by cause">
            {data.groups.map((group) => (
              <FailureGroup
                key={group.failureClass}
                group={group}
                isChosen={group.failureClass === cause}
                search={searchOf(group.failureClass)}
              />
            ))}
          </ul>
        )
      )}
    </Card>
  );
}
